"""Products in loops whose copies run ahead: what has how many buffers on chip, and what is copied beside operands."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import same


@tw.jit
def added_kernel(q, k, v, bias, out, N, M: tl.constexpr, BLOCK: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, BLOCK)
    x = tl.load(q + m[:, None] * BLOCK + n[None, :])
    total = tl.zeros((M, BLOCK), tl.float32)
    for start in range(0, N, BLOCK):
        y = tl.load(k + (start + n)[:, None] * BLOCK + n[None, :])
        weights = tl.dot(x, y.T) * 2 + tl.load(bias + m[:, None] * N + start + n[None, :])
        z = tl.load(v + (start + n)[:, None] * BLOCK + n[None, :])
        total = tl.dot(weights.to(z.dtype), z, total)
    tl.store(out + m[:, None] * BLOCK + n[None, :], total)


@pytest.mark.parametrize("dtype, stages", [("float16", 2), ("float32", 2), ("float16", 3)])
def test_more_blocks_than_fit(rng, dtype, stages):
    """On an H200 the operands, but not what is added between, have two buffers each."""
    M, block, count = 128, 128, 3
    q, k, v = (rng.integers(-1, 2, (rows * block, block)).astype(np.float16) for rows in (1, count, count))
    bias = rng.integers(-4, 5, (M, count * block)).astype(dtype)
    out = np.empty((M, block), np.float32)
    added_kernel[(1,)](q, k, v, bias, out, count * block, M=M, BLOCK=block, num_warps=8, num_stages=stages)
    assert same(out, (2 * q.astype(np.float32) @ k.astype(np.float32).T + bias) @ v)


@tw.jit
def weighted_kernel(q, k, h, gates, out, K, SIDE: tl.constexpr, BLOCK: tl.constexpr, N: tl.constexpr):
    m, n, d = tl.arange(0, SIDE), tl.arange(0, N), tl.arange(0, BLOCK)
    total, scores = tl.zeros((SIDE, N), tl.float32), tl.zeros((SIDE, SIDE), tl.float32)
    for start in range(0, K, BLOCK):
        x = tl.load(q + m[:, None] * K + start + d[None, :])
        y = tl.load(k + m[None, :] * K + start + d[:, None])
        z = tl.load(h + (start + d)[:, None] * N + n[None, :])
        x = (x * tl.load(gates + m[:, None] * K + start + d[None, :])).to(x.dtype)
        y = (y * tl.load(gates + m[None, :] * K + start + d[:, None])).to(y.dtype)
        total += tl.dot(x, z)
        scores += tl.dot(x, y)
    tl.store(out + m[:, None] * (N + SIDE) + n[None, :], total)
    tl.store(out + m[:, None] * (N + SIDE) + N + m[None, :], scores)


@pytest.mark.parametrize("block, warps, stages", [(32, 4, 2), (32, 4, 3), (64, 8, 2), (64, 4, 3)])
def test_copies_where_threads_have_read(rng, block, warps, stages):
    """On an H200 what threads multiply by the gates has a buffer less than there are stages."""
    N = 16 * warps
    for count in (0, 1, 2, 5):
        q, k, h = (rng.integers(-2, 3, shape).astype(np.float16)
                   for shape in ((64, count * block), (64, count * block), (count * block, N)))
        gates = rng.integers(-1, 2, (64, count * block)).astype(np.float32)
        out = np.empty((64, N + 64), np.float32)
        weighted_kernel[(1,)](q, k, h, gates, out, count * block, SIDE=64, BLOCK=block, N=N, num_warps=warps,
                              num_stages=stages)
        x, y = q * gates, k * gates
        assert same(out, np.concatenate([x @ h.astype(np.float32), x @ y.T], 1))


@tw.jit
def faded_kernel(x, y, steps, out, size, K, SIDE: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    m, n, k = tl.arange(0, SIDE), tl.arange(0, N), tl.arange(0, BLOCK)
    steps_at, here = steps + k, tl.load(steps + m, mask=m < size, other=0)
    total = tl.zeros((SIDE, N), tl.float32)
    for start in range(0, size, BLOCK):
        scores = tl.load(x + m[:, None] * K + start + k[None, :], mask=k[None, :] < size - start, other=0)
        weights = here[:, None] - tl.load(steps_at, mask=k < size - start, other=0)[None, :]
        z = tl.load(y + (start + k)[:, None] * N + n[None, :], mask=k[:, None] < size - start, other=0)
        total += tl.dot((scores * weights).to(z.dtype), z)
        steps_at += BLOCK
    tl.store(out + m[:, None] * N + n[None, :], total)


@pytest.mark.parametrize("block, warps, stages", [(64, 4, 3), (64, 4, 1), (32, 4, 2), (64, 8, 2)])
def test_few_numbers_beside_operands(rng, block, warps, stages):
    """Behind a mask, which ends with the last block: they are copied as the operands are."""
    N, K = 64, 256
    for size in (0, 1, 64, 100, 256):
        x, y = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((64, K), (K, N)))
        steps, out = rng.integers(-4, 5, K).astype(np.float32), np.empty((64, N), np.float32)
        faded_kernel[(1,)](x, y, steps, out, size, K, SIDE=64, N=N, BLOCK=block, num_warps=warps, num_stages=stages)
        here = np.where(np.arange(64) < size, steps[:64], 0)
        weights = x[:, :size] * (here[:, None] - steps[None, :size])
        assert same(out, weights.astype(np.float32) @ y[:size].astype(np.float32))


@tw.jit
def gathered_kernel(rows, bounds, a, b, out, K, N, M: tl.constexpr, SIDE: tl.constexpr, BLOCK: tl.constexpr):
    m, n, d = tl.arange(0, M), tl.arange(0, SIDE), tl.arange(0, BLOCK)
    row = tl.load(rows + m)
    total = tl.zeros((M, SIDE), tl.float32)
    for start in range(tl.load(bounds), tl.load(bounds + 1), BLOCK):
        left = tl.load(bounds + 1) - start
        x = tl.load(a + row[:, None] * K + start + d[None, :], mask=(row[:, None] >= 0) & (d[None, :] < left), other=0)
        y = tl.load(b + (start + d)[:, None] * N + n[None, :], mask=(d[:, None] < left) & (n[None, :] < N), other=0.0)
        total = tl.dot(x, y, total)
    tl.store(out + m[:, None] * N + n[None, :], total, mask=n[None, :] < N)


@pytest.mark.parametrize("M, side, block, warps", [(64, 64, 32, 4), (128, 128, 64, 8), (128, 64, 64, 4),
                                                   (16, 128, 64, 4)])
def test_rows_that_a_table_names(rng, M, side, block, warps):
    """Some rows are none, and the last block of a part of the columns is not full, or a part is empty."""
    K = 4 * block + 8
    for begin, end, N, stages in [(0, K, side, 3), (block, K, side - 8, 2), (8, 8, side, 3), (8, 9, side, 4),
                                  (0, block, side, 1), (16, 3 * block + 16, side, 5)]:
        a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((20, K), (K, N)))
        rows, bounds = rng.integers(-3, 20, M).astype(np.int32), np.array([begin, end], np.int32)
        out = np.full((M, N), -7, np.float32)
        gathered_kernel[(1,)](rows, bounds, a, b, out, K, N, M=M, SIDE=side, BLOCK=block, num_warps=warps,
                              num_stages=stages)
        picked = np.where(rows[:, None] >= 0, a[rows.clip(0)], 0).astype(np.float32)
        assert same(out, picked[:, begin:end] @ b[begin:end].astype(np.float32))
