"""Kernels on a real GPU against torch in float64: products, reductions, masks, atomics, loops."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")]

import tilewright as tw  # noqa: E402
import tilewright.language as tl  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from matmul import matmul  # noqa: E402
from softmax import softmax_kernel  # noqa: E402

FLOATS = {"float16": 2e-3, "bfloat16": 1e-2, "float32": 1e-3, "float64": 1e-12}


def error(result, expected):
    """‖result − expected‖ / ‖expected‖, in float64."""
    difference = torch.linalg.vector_norm(result.double() - expected.double())
    return float(difference / torch.linalg.vector_norm(expected.double()).clamp_min(1e-30))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("stages", [1, 2, 3, 5])
@pytest.mark.parametrize("shape", [(128, 128, 0), (128, 128, 32), (130, 70, 40), (256, 192, 511), (64, 64, 1024)])
def test_matmul(dtype, stages, shape):
    M, N, K = shape
    a, b = (torch.randn(*size, device="cuda").to(getattr(torch, dtype)) for size in ((M, K), (K, N)))
    c = torch.full((M, N), float("nan"), dtype=a.dtype, device="cuda")
    results = [matmul(a, b, c.clone(), num_stages=stages, num_warps=4) for _ in range(3)]
    assert error(results[0], a.double() @ b.double()) < FLOATS[dtype]
    assert all(torch.equal(results[0], again) for again in results[1:]), "runs differ: a race"


@pytest.mark.parametrize("warps", [1, 2, 4, 8])
@pytest.mark.parametrize("block", [(128, 128, 32), (64, 256, 64), (16, 16, 16), (32, 64, 128)])
def test_matmul_blocks(warps, block):
    sizes = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), block, strict=True))
    a, b = (torch.randn(200, 200, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.full((200, 200), float("nan"), dtype=torch.float16, device="cuda")
    try:
        matmul(a, b.T, c, num_warps=warps, num_stages=3, **sizes)  # a transposed operand
    except tw.OutOfResources:
        pytest.skip("does not fit")
    assert error(c, a.double() @ b.double().T) < FLOATS["float16"]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("shape", [(3, 1), (7, 33), (5, 1000), (4, 4096), (2, 12345)])
@pytest.mark.parametrize("warps", [1, 4, 8])
def test_softmax(dtype, shape, warps):
    x = torch.randn(shape, device="cuda").to(getattr(torch, dtype))
    y = torch.full_like(x, float("nan"))
    columns = shape[1]
    softmax_kernel[(shape[0],)](y, x, columns, columns, columns, BLOCK=tw.next_power_of_2(columns), num_warps=warps)
    assert error(y, torch.softmax(x.double(), dim=1)) < FLOATS[dtype]


@tw.jit
def reduce_kernel(x, sums, largest, index, rows, columns, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  AXIS: tl.constexpr):
    m, n = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N)
    mask = (m[:, None] < rows) & (n[None, :] < columns)
    values = tl.load(x + m[:, None] * columns + n[None, :], mask=mask, other=0.0)
    bounded = tl.where(mask, values, -float("inf"))
    kept = m < rows if AXIS == 1 else n < columns
    offsets = m if AXIS == 1 else n
    tl.store(sums + offsets, tl.sum(values, axis=AXIS), mask=kept)
    tl.store(largest + offsets, tl.max(bounded, axis=AXIS), mask=kept)
    tl.store(index + offsets, tl.argmax(bounded, axis=AXIS), mask=kept)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(1, 1), (5, 9), (16, 64), (50, 100), (128, 32)])
@pytest.mark.parametrize("warps", [1, 4])
def test_reductions(axis, shape, warps):
    x = torch.randn(shape, device="cuda")
    size = shape[1 - axis]
    sums, largest = (torch.full((size,), float("nan"), device="cuda") for _ in range(2))
    index = torch.full((size,), -1, dtype=torch.int32, device="cuda")
    blocks = [tw.next_power_of_2(side) for side in shape]
    reduce_kernel[(1,)](x, sums, largest, index, *shape, *blocks, AXIS=axis, num_warps=warps)
    assert error(sums, x.double().sum(dim=axis)) < 1e-5
    assert torch.equal(largest, x.amax(dim=axis))
    assert torch.equal(index.long(), x.argmax(dim=axis))


@tw.jit
def histogram_kernel(x, counts, total, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    values = tl.load(x + offsets, mask=mask, other=0)
    tl.atomic_add(counts + values, 1, mask=mask)
    tl.atomic_add(total, tl.sum(tl.where(mask, values, 0), axis=0))


def test_atomics_act_once_for_each_element():
    x = torch.randint(0, 17, (10_000,), device="cuda", dtype=torch.int32)
    counts, total = torch.zeros(17, dtype=torch.int32, device="cuda"), torch.zeros(1, dtype=torch.int32, device="cuda")
    histogram_kernel[(tw.cdiv(10_000, 256),)](x, counts, total, 10_000, BLOCK=256)
    assert torch.equal(counts.long(), torch.bincount(x.long(), minlength=17))
    assert int(total) == int(x.sum())


@tw.jit
def special_kernel(x, y, smallest, largest, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n)
    tl.store(smallest + i, tl.minimum(a, b), mask=i < n)
    tl.store(largest + i, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL), mask=i < n)


def test_nan_and_infinities():
    special = torch.tensor([0.0, -0.0, 1.0, float("inf"), -float("inf"), float("nan")], device="cuda")
    x, y = (side.flatten().contiguous() for side in torch.meshgrid(special, special, indexing="ij"))
    smallest, largest = torch.empty_like(x), torch.empty_like(x)
    special_kernel[(1,)](x, y, smallest, largest, x.numel(), BLOCK=64)
    assert torch.equal(smallest.nan_to_num(7), torch.fmin(x, y).nan_to_num(7))
    assert torch.equal(largest.nan_to_num(7), torch.maximum(x, y).nan_to_num(7))
