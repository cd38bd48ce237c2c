"""Programs that several thread blocks share (num_ctas): products whose rows or columns are split, operands that the
blocks copy for each other, what is done once, and what cannot be split; the same bits in every run."""

from __future__ import annotations

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


def error(result: np.ndarray, expected: np.ndarray) -> float:
    """‖result − expected‖ / ‖expected‖, in float64."""
    difference = np.linalg.norm(result.astype(np.float64) - expected)
    return float(difference / max(np.linalg.norm(expected), 1e-30))


def numbers(rng, *shape: int, dtype=np.float16) -> np.ndarray:
    return rng.standard_normal(shape).astype(dtype)


@tw.jit
def product_kernel(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                   TURN: tl.constexpr, HALVES: tl.constexpr):
    """Every num_programs-th block of c = a @ b, or a @ b.T if TURN."""
    x_blocks = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    if TURN:
        y_blocks = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    else:
        y_blocks = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    z_blocks = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N // 2 if HALVES else BLOCK_N])
    columns = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * columns, tl.num_programs(0)):
        i, j = tile // columns * BLOCK_M, tile % columns * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, BLOCK_K):
            y = y_blocks.load([j, k]).T if TURN else y_blocks.load([k, j])
            total = tl.dot(x_blocks.load([i, k]), y, total)
        if HALVES:
            left, right = tl.split(tl.permute(tl.reshape(total, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1)))
            z_blocks.store([i, j], left.to(tl.float16))
            z_blocks.store([i, j + BLOCK_N // 2], right.to(tl.float16))
        else:
            z_blocks.store([i, j], total.to(tl.float16))


def multiply(a, b, block, num_ctas, turn=False, halves=False, programs=3, warps=4, stages=3):
    M, N = a.shape[0], b.shape[0] if turn else b.shape[1]
    c = np.full((M, N), 77, np.float16)
    sizes = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), block, strict=True))
    product_kernel[(programs,)](a, b, c, M, N, a.shape[1], **sizes, TURN=turn, HALVES=halves, num_warps=warps,
                                num_stages=stages, num_ctas=num_ctas)
    return c


@pytest.mark.parametrize("num_ctas", [2, 4])
@pytest.mark.parametrize("turn", [False, True])
@pytest.mark.parametrize("warps, block", [(4, (256, 64, 64)), (4, (64, 256, 64)), (8, (256, 128, 64)),
                                          (8, (256, 256, 64)), (4, (256, 32, 32))], ids=str)
def test_products_of_any_size(rng, num_ctas, turn, warps, block):
    for M, N, K in ((264, 264, 200), (72, 40, 8)):
        a, b = numbers(rng, M, K), numbers(rng, *(N, K) if turn else (K, N))
        exact = a.astype(np.float64) @ (b.T if turn else b).astype(np.float64)
        results = [multiply(a, b, block, num_ctas, turn, warps=warps) for _ in range(2)]
        assert error(results[0], exact) <= 2e-3
        assert np.array_equal(*results), "runs differ: a race"


@pytest.mark.parametrize("programs, stages", [(1, 1), (2, 2), (9, 4)])
@pytest.mark.parametrize("halves", [False, True])
def test_programs_and_stages(rng, programs, stages, halves):
    a, b = numbers(rng, 520, 456), numbers(rng, 456, 264)
    for num_ctas in (2, 4):
        result = multiply(a, b, (256, 64, 64), num_ctas, halves=halves, programs=programs, stages=stages)
        assert error(result, a.astype(np.float64) @ b.astype(np.float64)) <= 2e-3


@tw.jit
def finished_kernel(a, b, bias, scales, c, sums, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                    BLOCK_K: tl.constexpr):
    """A block of relu(a @ b + bias) * scales by pointers, and the sums of its rows; grid (rows, columns)."""
    x_blocks = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    y_blocks = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    i, j = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        total = tl.dot(x_blocks.load([i, k]), y_blocks.load([k, j]), total)
    m, n = i + tl.arange(0, BLOCK_M), j + tl.arange(0, BLOCK_N)
    total += tl.load(bias + n, mask=n < N, other=0.0)[None, :]
    total = tl.maximum(total, 0.0) * tl.load(scales + m, mask=m < M, other=0.0)[:, None]
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c + m[:, None] * N + n[None, :], total, mask=inside)
    tl.store(sums + m * tl.num_programs(1) + tl.program_id(1), tl.sum(tl.where(inside, total, 0.0), 1), mask=m < M)


@pytest.mark.parametrize("num_ctas", [1, 2, 4])
def test_what_follows_a_product(rng, num_ctas):
    M, N, K = 300, 136, 264
    a, b, bias, scales = numbers(rng, M, K), numbers(rng, K, N), numbers(rng, N), numbers(rng, M)
    c, sums = np.empty((M, N), np.float32), np.empty((M, 3), np.float32)
    finished_kernel[(2, 3)](a, b, bias, scales, c, sums, M, N, K, BLOCK_M=256, BLOCK_N=64, BLOCK_K=64,
                            num_ctas=num_ctas)
    exact = np.maximum(a.astype(np.float64) @ b + bias.astype(np.float64), 0) * scales.astype(np.float64)[:, None]
    assert error(c, exact) <= 2e-3
    assert error(sums, np.stack([part.sum(1) for part in np.split(exact, [64, 128], axis=1)], 1)) <= 2e-3


@tw.jit
def attend_kernel(q, k, v, o, N, scale, BLOCK: tl.constexpr, STEP: tl.constexpr, HEAD: tl.constexpr):
    """softmax(q @ k.T * scale) @ v for a block of rows; N divides by STEP."""
    q_blocks = tl.make_tensor_descriptor(q, [N, HEAD], [HEAD, 1], [BLOCK, HEAD])
    k_blocks = tl.make_tensor_descriptor(k, [N, HEAD], [HEAD, 1], [STEP, HEAD])
    v_blocks = tl.make_tensor_descriptor(v, [N, HEAD], [HEAD, 1], [STEP, HEAD])
    o_blocks = tl.make_tensor_descriptor(o, [N, HEAD], [HEAD, 1], [BLOCK, HEAD])
    row = tl.program_id(0) * BLOCK
    x = q_blocks.load([row, 0])
    most, norm = tl.full((BLOCK,), float("-inf"), tl.float32), tl.zeros((BLOCK,), tl.float32)
    total = tl.zeros((BLOCK, HEAD), tl.float32)
    for start in range(0, N, STEP):
        s = tl.dot(x, k_blocks.load([start, 0]).T) * scale
        now = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - now[:, None])
        change = tl.exp2(most - now)
        norm = norm * change + tl.sum(p, 1)
        total = tl.dot(p.to(tl.float16), v_blocks.load([start, 0]), total * change[:, None])
        most = now
    o_blocks.store([row, 0], (total / norm[:, None]).to(tl.float16))


@pytest.mark.parametrize("num_ctas", [2, 4])
def test_attention(rng, num_ctas):
    N, HEAD = 448, 64
    q, k, v = (numbers(rng, N, HEAD) for _ in range(3))
    scores = q.astype(np.float64) @ k.T.astype(np.float64) * 0.1
    weights = np.exp2(scores - scores.max(1, keepdims=True))
    exact = weights / weights.sum(1, keepdims=True) @ v.astype(np.float64)
    results = [np.full((N, HEAD), 77, np.float16) for _ in range(2)]
    for o in results:
        attend_kernel[(2,)](q, k, v, o, N, 0.1, BLOCK=256, STEP=64, HEAD=HEAD, num_ctas=num_ctas)
    assert error(results[0], exact) <= 2e-3
    assert np.array_equal(*results), "runs differ: a race"


@tw.jit
def plain_kernel(x, y, total, n, BLOCK: tl.constexpr):
    """y = 2 x, and the sum of each program's x."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, value * 2, mask=i < n)
    tl.store(total + tl.program_id(0), tl.sum(value, 0) + tl.num_programs(0))


@tw.jit
def rows_kernel(x, y, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Rows divided by their largest element."""
    i, j = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    value = tl.load(x + i[:, None] * columns + j[None, :], mask=inside, other=0.0)
    tl.store(y + i[:, None] * columns + j[None, :], value / tl.max(value, 1)[:, None], mask=inside)


@pytest.mark.parametrize("num_ctas", [2, 4, 8])
def test_programs_without_products(rng, num_ctas):
    x = rng.random(3000, np.float32) + 1
    y, total = np.zeros_like(x), np.zeros(3, np.float32)
    plain_kernel[(3,)](x, y, total, 3000, BLOCK=1024, num_ctas=num_ctas)
    assert np.array_equal(y, x * 2)
    np.testing.assert_allclose(total, [x[i:i + 1024].sum(dtype=np.float64) + 3 for i in range(0, 3000, 1024)],
                               rtol=1e-5)
    x, y = x[:2960].reshape(37, 80), np.zeros((37, 80), np.float32)
    rows_kernel[(3,)](x, y, 37, 80, ROWS=16, COLUMNS=128, num_ctas=num_ctas)
    np.testing.assert_allclose(y, x / x.max(1, keepdims=True), rtol=1e-6)


@tw.jit
def counting_kernel(x, n, counter, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.atomic_add(counter, 1) + i, mask=i < n)


@tw.jit
def in_place_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + n - 1 - i, mask=i < n), mask=i < n)


@tw.jit
def sums_kernel(a, b, c, sums, K, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    places = i[:, None] * BLOCK + i[None, :]
    total = tl.dot(tl.load(a + places), tl.load(b + places))
    tl.store(c + places, total)
    tl.store(sums + i, tl.sum(total, 0))
    tl.store(sums + BLOCK + i, tl.sum(total, 1))


REFUSED = {"atomic": (counting_kernel, {"x": "*i32", "n": "i32", "counter": "*i32", "BLOCK": 128}, "another result"),
           "in place": (in_place_kernel, {"x": "*fp32", "n": "i32", "BLOCK": 128}, "do not wait for each other"),
           "sums": (sums_kernel, {"a": "*fp16", "b": "*fp16", "c": "*fp32", "sums": "*fp32", "K": "i32", "BLOCK": 128},
                    "another part of its result")}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_shared_is_refused_at_its_line(name):
    kernel, signature, reason = REFUSED[name]
    with pytest.raises(tw.CompilationError, match=reason) as caught:
        tw.compile(kernel, signature, target="nvidia:sm_90a", num_ctas=2)
    assert "num_ctas" in str(caught.value) and "test_gpu_clusters.py" in str(caught.value)


@pytest.mark.parametrize("target", ["nvidia:sm_80", "amd:gfx942"])
def test_machines_without_clusters_say_so(target):
    with pytest.raises(tw.CompilationError, match="num_ctas"):
        tw.compile(plain_kernel, {"x": "*fp32", "y": "*fp32", "total": "*fp32", "n": "i32", "BLOCK": 128},
                   target=target, num_ctas=2)
