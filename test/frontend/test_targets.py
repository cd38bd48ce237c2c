"""Targets take what the frontend writes, down to the binary."""

import pytest
import test_control_flow as control
import test_operations as operations
import tilewright as tw

FLOATS, INTEGERS = {"x": "*fp32", "out": "*fp32"}, {"x": "*i32", "out": "*i32"}
KERNELS = [
    (operations.vector_add, {**FLOATS, "y": "*fp32", "n": "i32", "BLOCK": 256}),
    (operations.casts, FLOATS),
    (operations.shapes, {"out": "*i32"}),
    (operations.accesses, {"x": "*fp32", "out": "*fp16", "n": "i32"}),
    (operations.pointers, {"x": "*fp32", "out": "*i64", "n": "u32"}),
    (operations.reductions, FLOATS),
    (operations.math, FLOATS),
    (operations.half_math, {"x": "*bf16", "out": "*bf16"}),
    (operations.atomics, {**FLOATS, "i": "*i32"}),
    (operations.random, {"out": "*fp32", "seed": "i32"}),
    (operations.debugging, {"x": "*fp32", "n": "i32"}),
    (control.if_both, {**FLOATS, "n": "i32"}),
    (control.loop, {**FLOATS, "n": "i32", "BLOCK": 32}),
    (control.walrus, {"out": "*i32", "n": "i32"}),
    (control.nested_jumps, {**INTEGERS, "n": "i32", "m": "i32"}),
    *[(operations.dot, {"a": f"*{operand}", "b": f"*{operand}", "out": f"*{result}", "OUT": out})
      for operand, out, result in operations.DOTS],
]


@pytest.mark.parametrize("target", ["cpu", "nvidia", "amd:gfx942", "amd:gfx1100"])
@pytest.mark.parametrize("kernel, signature", KERNELS, ids=lambda value: getattr(value, "__name__", ""))
def test_compiles(target, kernel, signature):
    prints = not target.startswith("amd")
    if kernel is operations.debugging and not prints:
        pytest.skip("the target cannot print, see test/runtime/amd")
    assert len(tw.compile(kernel, signature, target=target, debug=prints).binary) > 100
