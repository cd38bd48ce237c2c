"""Read-only arrays: taken where the kernel only reads them, refused where it stores to them."""

from __future__ import annotations

import numpy as np
import pytest
from c_kernels import Kernel
from tilewright.runtime.stores import stored_arguments

NOTHING = "KERNEL(kernel) {}"


def wrap(body: str, arguments: str = "%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32", more: str = "") -> str:
    return f"module {{ func.func public @kernel({arguments}) attributes {{tile.kernel}} {{ {body} return }} {more} }}"


DIRECT = """
  %v = tile.load %x : !tile.ptr<f32>
  tile.store %y, %v : !tile.ptr<f32>
"""

THROUGH_BLOCKS = """
  %i = tile.arange 0 : tensor<64xi32>
  %b = tile.splat %y : tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %b, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %xb = tile.splat %x : tensor<64x!tile.ptr<f32>>
  %v = tile.load %xb : tensor<64x!tile.ptr<f32>>
  tile.store %p, %v : tensor<64x!tile.ptr<f32>>
"""

IN_A_LOOP = """
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%a = %x, %b = %y) -> (!tile.ptr<f32>, !tile.ptr<f32>) : i32 {
    %v = tile.load %a : !tile.ptr<f32>
    %next = tile.addptr %b, %one : !tile.ptr<f32>, i32
    scf.yield %a, %next : !tile.ptr<f32>, !tile.ptr<f32>
  }
  %v = tile.load %r#0 : !tile.ptr<f32>
  tile.store %r#1, %v : !tile.ptr<f32>
"""

SWAPPED_IN_A_LOOP = IN_A_LOOP.replace("scf.yield %a, %next", "scf.yield %next, %a")

CHOSEN = """
  %zero = arith.constant 0 : i32
  %c = arith.cmpi eq, %n, %zero : i32
  %p = scf.if %c -> (!tile.ptr<f32>) { scf.yield %x : !tile.ptr<f32> } else { scf.yield %y : !tile.ptr<f32> }
  %v = arith.constant 1.0 : f32
  tile.store %p, %v : !tile.ptr<f32>
"""

IN_A_WHILE = """
  %zero = arith.constant 0 : i32
  %p = scf.while (%a = %y) : (!tile.ptr<f32>) -> !tile.ptr<f32> {
    %c = arith.cmpi eq, %n, %zero : i32
    scf.condition(%c) %a : !tile.ptr<f32>
  } do {
  ^bb0(%b: !tile.ptr<f32>):
    %v = arith.constant 1.0 : f32
    tile.store %b, %v : !tile.ptr<f32>
    scf.yield %b : !tile.ptr<f32>
  }
"""

IN_A_CALL = "func.call @write(%y) : (!tile.ptr<f32>) -> ()"
WRITE = """func.func private @write(%p: !tile.ptr<f32>) {
  %v = arith.constant 1.0 : f32
  tile.store %p, %v : !tile.ptr<f32>
  return
}"""

ATOMIC = """
  %v = arith.constant 1.0 : f32
  %old = tile.atomic_rmw fadd %y, %v : !tile.ptr<f32>
"""

#: The pointer is a value that is stored, not where it is stored to.
STORED_ITSELF = "tile.store %y, %x : !tile.ptr<!tile.ptr<f32>>"


@pytest.mark.parametrize("text, stored", [
    (wrap(DIRECT), {1}), (wrap(THROUGH_BLOCKS), {1}), (wrap(IN_A_LOOP), {1}), (wrap(SWAPPED_IN_A_LOOP), {0, 1}),
    (wrap(CHOSEN), {0, 1}), (wrap(IN_A_WHILE), {1}), (wrap(IN_A_CALL, more=WRITE), {1}), (wrap(ATOMIC), {1}),
    (wrap(STORED_ITSELF, "%x: !tile.ptr<f32>, %y: !tile.ptr<!tile.ptr<f32>>"), {1}), (wrap(""), set()),
])
def test_stores_are_found_through_whatever_passes_pointers_on(text, stored):
    assert stored_arguments(Kernel("kernel", "cpu", {"tile": text}, {})) == stored


def read_only(count=16):
    array = np.zeros(count, np.float32)
    array.flags.writeable = False
    return array


def test_a_store_to_a_read_only_array_is_refused(make_kernel):
    kernel, source = make_kernel("kernel", ["x", "y", "n"], NOTHING, tile=wrap(DIRECT))
    writable = np.zeros(16, np.float32)
    kernel[1](read_only(), writable, 5)
    for _ in range(2):
        with pytest.raises(ValueError, match="kernel 'kernel': argument 'y' is a read-only array, but the kernel"):
            kernel[1](writable, read_only(), 5)
    kernel[1](writable, writable, 5)
    assert len(source.requests) == 1


def test_a_read_only_array_in_a_tuple_is_named_by_its_parameter(make_kernel):
    kernel, _ = make_kernel("kernel", ["pair", "n"], NOTHING, tile=wrap(DIRECT))
    with pytest.raises(ValueError, match="argument 'pair' is a read-only array"):
        kernel[1]((np.zeros(16, np.float32), read_only()), 5)
