"""Loads by pointers that warps of their own make, and programs that take turns, on a real GPU against torch in
float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")]

import tilewright as tw  # noqa: E402
import tilewright.language as tl  # noqa: E402
from tilewright.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

TOLERANCES = {"float16": 2e-3, "bfloat16": 1e-2, "float32": 2e-3, "float8_e4m3fn": 2e-3, "int8": 0}


def random_array(dtype, *shape):
    if dtype == "int8":
        return torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8)
    return torch.randn(shape, device="cuda").to(getattr(torch, dtype))


def error(result, expected):
    difference = torch.linalg.vector_norm(result.double() - expected)
    return float(difference / torch.linalg.vector_norm(expected).clamp_min(1e-30))


@tw.jit
def gathered_kernel(rows, a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                    ACC: tl.constexpr):
    """c = a[rows] @ b.T, rows by pointers, b by a descriptor; rows below zero are zero."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N
    row = tl.load(rows + m, mask=m < M, other=-1)
    depth = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), ACC)
    for k in range(0, K, BLOCK_K):
        x = tl.load(a + row[:, None] * K + k + depth[None, :], mask=(row[:, None] >= 0) & (depth[None, :] < K - k),
                    other=0)
        total = tl.dot(x, b.load([n, k]).T, total)
    columns = n + tl.arange(0, BLOCK_N)
    tl.store(c + m[:, None] * N + columns[None, :], total, mask=(m[:, None] < M) & (columns[None, :] < N))


def gather(rows, a, b, block, stages):
    (N, K), M, exact = b.shape, len(rows), torch.int32 if a.dtype == torch.int8 else torch.float32
    c = torch.full((M, N), 77, dtype=exact, device="cuda")
    *sizes, warps = block
    described = TensorDescriptor.from_tensor(b, [sizes[1], sizes[2]])
    gathered_kernel[(tw.cdiv(M, sizes[0]), tw.cdiv(N, sizes[1]))](
        rows, a, described, c, M, N, K, *sizes, ACC=tl.int32 if exact == torch.int32 else tl.float32, num_warps=warps,
        num_stages=stages)
    return c


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("block", [(128, 128, 64, 8), (128, 64, 32, 4), (64, 128, 64, 4), (16, 64, 64, 4),
                                   (256, 64, 64, 8)], ids=str)
def test_rows_that_a_table_names(dtype, block):
    for M, N, K in ((256, 256, 256), (199, 136, 208), (1, 16, 16), (300, 64, 48)):
        rows = torch.randint(-3, 500, (M,), device="cuda", dtype=torch.int32)
        a, b = random_array(dtype, 500, K), random_array(dtype, N, K)
        picked = torch.where(rows[:, None] >= 0, a.double()[rows.clamp_min(0).long()], 0.0)
        for stages in (1, 2, 4):
            try:
                results = [gather(rows, a, b, block, stages) for _ in range(3)]
            except tw.OutOfResources:
                continue
            assert error(results[0], picked @ b.double().T) <= TOLERANCES[dtype]
            assert all(torch.equal(results[0], again) for again in results[1:]), "runs differ: a race"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_masks_leave_out_is_not_multiplied(value):
    K, rows = 80, torch.tensor([0, -1, 2, -1] * 16, device="cuda", dtype=torch.int32)
    a, b = random_array("float16", 4, K), random_array("float16", 64, K)
    a[1], a[3] = value, value
    c = gather(rows, a, b, (128, 64, 64, 8), 3)
    assert not c[1::2].any()
    assert error(c[::2], a.double()[rows.long()[::2]] @ b.double().T) <= 2e-3


@tw.jit
def product_kernel(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c[z] = a[z] @ b[z] for the planes of a grid of three sides."""
    m = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    plane = tl.program_id(2).to(tl.int64)
    depth = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in tl.range(0, K, BLOCK_K, warp_specialize=True):
        x = tl.load(a + plane * M * K + m[:, None] * K + k + depth[None, :],
                    mask=(m[:, None] < M) & (depth[None, :] < K - k), other=0)
        y = tl.load(b + plane * K * N + (k + depth)[:, None] * N + n[None, :],
                    mask=(depth[:, None] < K - k) & (n[None, :] < N), other=0)
        total = tl.dot(x, y, total)
    tl.store(c + plane * M * N + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("planes, M, N, K", [(1, 128, 128, 64), (3, 1000, 776, 136), (70, 130, 72, 320),
                                             (5, 640, 640, 0)])
@pytest.mark.parametrize("block", [(128, 128, 64, 8), (64, 64, 64, 4), (128, 64, 32, 16)], ids=str)
def test_programs_of_a_grid_take_turns(planes, M, N, K, block):
    a, b = random_array("float16", planes, M, K), random_array("float16", planes, K, N)
    *sizes, warps = block
    results = []
    for _ in range(3):
        c = torch.full((planes, M, N), 77.0, device="cuda")
        product_kernel[(tw.cdiv(N, sizes[1]), tw.cdiv(M, sizes[0]), planes)](a, b, c, M, N, K, *sizes, num_warps=warps)
        results.append(c)
    assert error(results[0], a.double() @ b.double()) <= 2e-3
    assert all(torch.equal(results[0], again) for again in results[1:]), "runs differ: a race"


@tw.jit
def powers_kernel(x, y, scratch, COUNT, SIDE: tl.constexpr):
    """y[program] = x ** COUNT, each power by way of an array that the kernel reads and writes."""
    place = tl.arange(0, SIDE)[:, None] * SIDE + tl.arange(0, SIDE)[None, :]
    own = scratch + tl.program_id(0) * SIDE * SIDE + place
    tl.store(own, tl.load(x + place))
    for _ in range(1, COUNT):
        power = tl.dot(tl.load(own), tl.load(x + place))
        tl.debug_barrier()
        tl.store(own, power.to(tl.float16))
        tl.debug_barrier()
    tl.store(y + tl.program_id(0) * SIDE * SIDE + place, tl.load(own))


def test_what_the_kernel_writes_is_read_afterwards():
    x = (torch.randn((128, 128), device="cuda") / 12).half()
    y, scratch = torch.empty((200, 128, 128), device="cuda", dtype=torch.float16), torch.empty((200, 128, 128),
                                                                                              device="cuda").half()
    powers_kernel[(200,)](x, y, scratch, 4, SIDE=128, num_warps=8)
    expected = x.double()
    for _ in range(3):
        expected = (expected @ x.double()).half().double()
    assert all(error(each, expected) <= 1e-2 for each in y)
