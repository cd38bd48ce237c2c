"""Values of divisions on vectors: every pair of 8-bit integers, and the edges of wider ones."""

import itertools

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

RNG = np.random.default_rng()


@tw.jit
def divide_kernel(a, b, quotient, remainder, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, y = tl.load(a + i, mask=i < n, other=1), tl.load(b + i, mask=i < n, other=1)
    tl.store(quotient + i, x // y, mask=i < n)
    tl.store(remainder + i, x % y, mask=i < n)


def divide(a, b):
    """Quotients that truncate, with the results defined for zero and overflow."""
    low = int(np.iinfo(a.dtype).min)
    results = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        if y == 0 or (x == low and y == -1):
            results.append((x, 0))
            continue
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        results.append((quotient, x - quotient * y))
    quotients, remainders = zip(*results, strict=True)
    return np.array(quotients, a.dtype), np.array(remainders, a.dtype)


def check(a, b):
    quotient, remainder = np.empty_like(a), np.empty_like(a)
    divide_kernel[(tw.cdiv(a.size, 256),)](a, b, quotient, remainder, a.size, BLOCK=256)
    expected = divide(a, b)
    np.testing.assert_array_equal(quotient, expected[0])
    np.testing.assert_array_equal(remainder, expected[1])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_all_pairs(dtype):
    values = np.arange(256).astype(dtype)
    check(np.repeat(values, 256), np.tile(values, 256))


@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_edges(dtype):
    info = np.iinfo(dtype)
    roots = [int(info.max**0.5) + i for i in (-1, 0, 1)]
    edges = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 7, 1000, *roots]
    if info.min < 0:
        edges += [-1, -2, -3, -7]
    pairs = np.array(list(itertools.product(edges, edges)), dtype=object)
    check(pairs[:, 0].astype(dtype), pairs[:, 1].astype(dtype))
    # Multiples of the divisor and their neighbours: where a rounded quotient would show.
    divisors = RNG.integers(1, roots[1], 4000)
    multiples = RNG.integers(0, roots[1], 4000) * divisors + RNG.integers(-1, 2, 4000)
    check(np.abs(multiples).astype(dtype), divisors.astype(dtype))
