"""What the frontend may cost: time to build IR, and what an import loads."""

import subprocess
import sys
import time

import pytest
import tilewright as tw
import tilewright.language as tl
from test_operations import vector_add


@tw.jit
def matmul(a, b, c, M, N, K, stride_a, stride_b, stride_c, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr):
    i = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, tl.cdiv(K, BLOCK_K)):
        kk = k + start * BLOCK_K
        x = tl.load(a + i[:, None] * stride_a + kk[None, :], mask=(i < M)[:, None] & (kk < K)[None, :], other=0.0)
        y = tl.load(b + kk[:, None] * stride_b + j[None, :], mask=(kk < K)[:, None] & (j < N)[None, :], other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * stride_c + j[None, :], acc, mask=(i < M)[:, None] & (j < N)[None, :])


POINTERS = {"x": "*fp32", "y": "*fp32", "out": "*fp32"}
MATRICES = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "M": "i32", "N": "i32", "K": "i32", "stride_a": "i32",
            "stride_b": "i32", "stride_c": "i32", "BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}


@pytest.mark.parametrize("kernel, signature, milliseconds", [
    (vector_add, {**POINTERS, "n": "i32", "BLOCK": 1024}, 1.5), (matmul, MATRICES, 5.0)], ids=["add", "matmul"])
def test_building_ir(build, kernel, signature, milliseconds):
    times = []
    for _ in range(20):
        start = time.process_time()
        build(kernel, **signature)
        times.append(time.process_time() - start)
    assert 1000 * min(times) < milliseconds


def test_import_loads_no_bindings():
    program = """
import sys, time
start = time.process_time()
import tilewright, tilewright.language
print(time.process_time() - start)
print([name for name in sys.modules if name.startswith(("tilewright.mlir", "numpy", "torch"))])
"""
    command = [sys.executable, "-c", program]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n") for _ in range(3)]
    assert all(run[1] == "[]" for run in runs)
    assert min(float(run[0]) for run in runs) < 0.3
