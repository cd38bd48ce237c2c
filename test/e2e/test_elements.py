"""Scalar functions for each element, against numpy."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import FLOATS, INTEGERS, same, some

DTYPES = [*INTEGERS, *FLOATS]


@tw.jit
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@tw.jit
def collatz_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=1)
    tl.store(out + i, tl.map_elementwise(collatz, v), mask=i < n)


def collatz_steps(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@pytest.mark.parametrize("block", [16, 64, 256])
def test_loops_of_their_own(rng, block):
    x = rng.integers(1, 1000, 100).astype(np.int64)
    out = np.empty(100, np.int32)
    collatz_kernel[(tw.cdiv(100, block),)](x, out, 100, BLOCK=block)
    assert list(out) == [collatz_steps(int(n)) for n in x]


@tw.jit
def order(a, b):
    if a < b:
        return a, b, 1
    return b, a, 0


@tw.jit
def order_kernel(x, y, out, places):
    i = tl.arange(0, 128)
    low, high, first = tl.map_elementwise(order, tl.load(x + i), tl.load(y + i))
    tl.store(out + i, low)
    tl.store(out + 128 + i, high)
    tl.store(places + i, first)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_several_results(rng, dtype):
    x, y = some(rng, dtype, 128, special=False), some(rng, dtype, 128, special=False)
    out, places = np.empty((2, 128), dtype), np.empty(128, np.int32)
    order_kernel[(1,)](x, y, out, places)
    assert same(out, np.sort(np.stack([x, y]), 0)) and same(places, (x < y).astype(np.int32))


@tw.jit
def affine(x, scale, shift):
    return x * scale + shift


@tw.jit
def broadcast_kernel(x, out, shift):
    v = tl.load(x + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :])
    r = tl.map_elementwise(affine, v, tl.arange(0, 16)[None, :], shift)
    tl.store(out + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :], r)
    tl.store(out + 128, tl.map_elementwise(affine, 3, 4, shift))


def test_arguments_are_broadcast(rng):
    x = rng.integers(-99, 99, (8, 16)).astype(np.int32)
    out = np.empty(129, np.int32)
    broadcast_kernel[(1,)](x, out, 7)
    assert same(out[:128].reshape(8, 16), x * np.arange(16, dtype=np.int32) + 7) and out[128] == 19


@tw.jit
def both_halves(a0, a1, b0, b1):
    if a0 + a1 > 0:
        return a0, a1, b0 + 1, b1 + 1
    return -a0, -a1, b0, b1


@tw.jit
def pack_kernel(x, y, out, others):
    i = tl.arange(0, 256)
    a, b = tl.map_elementwise(both_halves, tl.load(x + i), tl.load(y + i), pack=2)
    tl.store(out + i, a)
    tl.store(others + i, b)


def test_packed_elements_stay_with_their_own(rng):
    x, y = rng.standard_normal(256).astype(np.float32), rng.integers(0, 9, 256).astype(np.int32)
    out, others = np.empty_like(x), np.empty_like(y)
    pack_kernel[(1,)](x, y, out, others)
    # Which elements go together is not said, but each keeps its place.
    assert same(np.abs(out), np.abs(x))
    kept = others == y + 1
    assert same(out[kept], x[kept]) and same(out[~kept], -x[~kept]) and same(others[~kept], y[~kept])


@tw.jit
def find(table, size, key):
    low = 0
    high = size
    while low < high:
        middle = (low + high) // 2
        if tl.load(table + middle) < key:
            low = middle + 1
        else:
            high = middle
    return low


@tw.jit
def find_kernel(table, keys, out, size, n):
    i = tl.arange(0, 64)
    m = i < n
    found = tl.map_elementwise(find, table, size, tl.load(keys + i, mask=m))
    tl.store(out + i, found, mask=m)


@pytest.mark.parametrize("n", [1, 50, 64])
def test_a_search_in_memory_for_each_element(rng, n):
    table = np.sort(rng.standard_normal(1000).astype(np.float32))
    keys = rng.standard_normal(n).astype(np.float32)
    out = np.empty(n, np.int32)
    find_kernel[(1,)](table, keys, out, 1000, n)
    assert same(out, np.searchsorted(table, keys).astype(np.int32))


@tw.jit
def piecewise(x):
    if x < 0:
        y = tl.exp(x) - 1
    else:
        y = x
    return y * 1.5


@tw.jit
def reduced_map_kernel(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i, j = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    v = tl.map_elementwise(piecewise, tl.load(x + i[:, None] * COLUMNS + j[None, :]))
    tl.store(out + i, tl.sum(v, 1))


@pytest.mark.parametrize("shape", [(4, 32), (8, 96), (3, 5)])
def test_map_before_a_reduction(rng, shape):
    x = rng.standard_normal(shape).astype(np.float32)
    out = np.empty(shape[0], np.float32)
    reduced_map_kernel[(1,)](x, out, ROWS=shape[0], COLUMNS=shape[1])
    exact = np.where(x < 0, np.expm1(x.astype(np.float64)), x).sum(1) * 1.5
    np.testing.assert_allclose(out, exact, rtol=1e-5, atol=1e-5)
