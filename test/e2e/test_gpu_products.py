"""Products by units that read on-chip memory, on a real GPU against torch in float64: operands in every order and
type, loaded or computed, chained, pipelined; the same bits in every run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")]

import tilewright as tw  # noqa: E402
import tilewright.language as tl  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from attention import attention  # noqa: E402

TOLERANCES = {"float16": 2e-3, "bfloat16": 1e-2, "float32": 2e-3, "float8_e4m3fn": 2e-3, "float8_e5m2": 2e-3, "int8": 0}
BLOCKS = [(128, 256, 64, 8), (128, 128, 64, 4), (64, 128, 32, 4), (64, 256, 64, 8), (192, 96, 64, 4), (256, 64, 64, 8)]


def error(result, expected):
    """‖result − expected‖ / ‖expected‖, in float64."""
    difference = torch.linalg.vector_norm(result.double() - expected.double())
    return float(difference / torch.linalg.vector_norm(expected.double()).clamp_min(1e-30))


@tw.jit
def product_kernel(a, b, c, M, N, K, a_m, a_k, b_k, b_n, c_m, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr, ACC: tl.constexpr, SCALE: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), ACC)
    for start in range(0, K, BLOCK_K):
        at = start + k
        x = tl.load(a + m[:, None] * a_m + at[None, :] * a_k, mask=(m[:, None] < M) & (at[None, :] < K), other=0)
        y = tl.load(b + at[:, None] * b_k + n[None, :] * b_n, mask=(at[:, None] < K) & (n[None, :] < N), other=0)
        if SCALE == "a":
            x = (x * 2).to(x.dtype)
        if SCALE == "b":
            y = (y * 2).to(y.dtype)
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * c_m + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


def multiply(a, b, block, stages, scale=""):
    (M, K), N = a.shape, b.shape[1]
    exact = torch.int32 if a.dtype == torch.int8 else torch.float32
    c = torch.full((M, N), 77, dtype=exact, device="cuda")
    *sizes, warps = block
    grid = (tw.cdiv(M, sizes[0]), tw.cdiv(N, sizes[1]))
    product_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), N, *sizes, num_warps=warps, num_stages=stages,
                         ACC=tl.int32 if exact == torch.int32 else tl.float32, SCALE=scale)
    return c


def operand(rows, columns, dtype, transposed):
    shape = (columns, rows) if transposed else (rows, columns)
    if dtype == "int8":
        values = torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8)
    else:
        values = torch.randn(shape, device="cuda").to(getattr(torch, dtype))
    return values.T if transposed else values


@pytest.mark.parametrize("order", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_operands_in_every_order(dtype, order, block):
    for M, N, K in ((256, 256, 256), (200, 328, 144), (64, 80, 32)):
        a, b = operand(M, K, dtype, order[0] == "t"), operand(K, N, dtype, order[1] == "t")
        for stages in (1, 3):
            try:
                c = multiply(a, b, block, stages)
            except tw.OutOfResources:
                continue
            assert error(c, a.double() @ b.double()) <= TOLERANCES[dtype]


@pytest.mark.parametrize("stages", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("depth", [0, 1, 64, 65, 640])
@pytest.mark.parametrize("scale", ["", "a", "b"])
def test_loops_of_any_length(stages, depth, scale):
    a, b = operand(200, depth, "float16", False), operand(depth, 136, "float16", False)
    results = [multiply(a, b, (64, 128, 64, 4), stages, scale) for _ in range(3)]
    assert error(results[0], a.double() @ b.double() * (2 if scale else 1)) <= TOLERANCES["float16"]
    assert all(torch.equal(results[0], again) for again in results[1:]), "runs differ: a race"


@pytest.mark.parametrize("size", [64, 128])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("options", [(128, 128, 8, 3), (128, 64, 4, 3), (64, 64, 4, 4), (64, 64, 4, 2), (64, 32, 4, 1)],
                         ids=str)
def test_chained_products(size, causal, options):
    block_m, block_n, warps, stages = options
    for length in (1, 37, 128, 513):
        q, k, v = (torch.randn((3, length, size), device="cuda").half() for _ in range(3))
        expected = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double(),
                                                                    is_causal=causal)
        results = [attention(q, k, v, causal, BLOCK_M=block_m, BLOCK_N=block_n, num_warps=warps, num_stages=stages)
                   for _ in range(2)]
        assert error(results[0], expected) < TOLERANCES["float16"]
        assert torch.equal(*results), "runs differ: a race"


@tw.jit
def rough_kernel(a, b, c, K, SIDE: tl.constexpr, BLOCK_K: tl.constexpr, MOST: tl.constexpr):
    i, k = tl.arange(0, SIDE), tl.arange(0, BLOCK_K)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for start in range(0, K, BLOCK_K):
        x = tl.load(a + i[:, None] * K + start + k[None, :])
        y = tl.load(b + i[:, None] * K + start + k[None, :])
        total = tl.dot(x, y.T, total, max_num_imprecise_acc=MOST)
    tl.store(c + i[:, None] * SIDE + i[None, :], total)


@pytest.mark.parametrize("most", [32, 64, 128])
@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_sums_of_bytes_in_parts(dtype, most):
    side, K = 128, 8192
    a, b = (torch.rand(side, K, device="cuda").to(getattr(torch, dtype)) for _ in range(2))
    exact, errors = a.double() @ b.double().T, {}
    for limit in (None, most):
        c = torch.full((side, side), float("nan"), device="cuda")
        rough_kernel[(1,)](a, b, c, K, SIDE=side, BLOCK_K=128, MOST=limit, num_stages=3)
        errors[limit] = error(c, exact)
    assert errors[most] < 6e-4
    if torch.cuda.get_device_capability() == (9, 0):
        assert errors[most] < errors[None] / 2, errors
