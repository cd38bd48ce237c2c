"""Sorting and counting, against numpy."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import FLOATS, INTEGERS, is_float, same, some

SIZES = [1, 2, 4, 32, 64, 128, 1024]


@tw.jit
def sort_kernel(x, out, SHAPE: tl.constexpr, DIM: tl.constexpr, DESCENDING: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    r = tl.sort(tl.load(x + i).reshape(SHAPE), DIM, DESCENDING)
    tl.store(out + i, r.reshape(N))


def ordered(x, dim=-1, descending=False):
    """numpy's order; it puts NaN last, as we do."""
    wide = x.astype(np.float64) if is_float(x.dtype) else x
    result = np.sort(wide, dim).astype(x.dtype)
    return np.flip(result, dim) if descending else result


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [np.dtype(bool), *INTEGERS, *FLOATS], ids=str)
def test_sort(rng, dtype, descending):
    for shape in [(size,) for size in SIZES] + [(8, 64), (64, 8), (2, 512), (3, 100), (5, 7)]:
        x = some(rng, dtype, shape)
        out = np.empty_like(x)
        sort_kernel[(1,)](x, out, SHAPE=shape, DIM=None, DESCENDING=descending, N=x.size)
        assert same(out, ordered(x, -1, descending))


@pytest.mark.parametrize("shape", [(8, 64), (64, 2), (4, 8, 16), (2, 4, 2, 32), (2, 3, 8, 2, 5)])
def test_any_dimension(rng, shape):
    x = some(rng, np.dtype(np.float32), shape)
    for dim in range(-len(shape), len(shape)):
        out = np.empty_like(x)
        sort_kernel[(1,)](x, out, SHAPE=shape, DIM=dim, DESCENDING=dim % 2 == 0, N=x.size)
        assert same(out, ordered(x, dim, dim % 2 == 0))


@tw.jit
def places_kernel(x, out, places, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DIM: tl.constexpr,
                  DESCENDING: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + i)
    values, where = tl.sort(v, DIM, DESCENDING, return_indices=True)
    tl.store(out + i, values)
    tl.store(places + i, where)


def stable_order(x, dim, descending):
    """The places that a stable sort takes elements from."""
    if not descending:
        return np.argsort(x, dim, kind="stable")
    return np.flip(x.shape[dim] - 1 - np.argsort(np.flip(x, dim), dim, kind="stable"), dim)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float16", "float32", "float64"])
def test_places(rng, dtype, descending):
    for shape in [(1, 1), (1, 2), (4, 32), (16, 64), (1, 1024), (256, 4), (3, 100)]:
        x = rng.integers(0, 20, shape).astype(dtype)  # with many ties: they keep their order
        for dim in (0, 1):
            out, places = np.empty_like(x), np.empty(shape, np.int32)
            places_kernel[(1,)](x, out, places, *shape, DIM=dim, DESCENDING=descending)
            order = stable_order(x, dim, descending)
            assert same(places, order.astype(np.int32))
            assert same(out, np.take_along_axis(x, order, dim))


@tw.jit
def argsort_kernel(x, places, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(places + i, tl.load(x + i).argsort(descending=True))


def test_argsort_with_nan(rng):
    x = some(rng, np.dtype(np.float32), (128,))
    x[x == 0] = 0  # one zero: numpy does not order them
    places = np.empty(128, np.int32)
    argsort_kernel[(1,)](x, places, N=128)
    assert same(places, stable_order(x, 0, True).astype(np.int32))


@tw.jit
def topk_kernel(x, out, places, ROWS: tl.constexpr, COLUMNS: tl.constexpr, K: tl.constexpr, DIM: tl.constexpr,
                DESCENDING: tl.constexpr):
    v = tl.load(x + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])
    values, where = tl.topk(v, K, DIM, DESCENDING, return_indices=True)
    plain = tl.topk(v, K, DIM, DESCENDING)
    i = tl.arange(0, values.numel)
    tl.store(out + i, values.ravel())
    tl.store(places + i, where.ravel())
    tl.store(out + values.numel + i, plain.ravel())


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["int16", "uint32", "int64", "float32", "float16"])
@pytest.mark.parametrize("shape, k", [((1, 2), 1), ((8, 64), 8), ((4, 256), 1), ((1, 1024), 16), ((2, 32), 32),
                                      ((32, 32), 4), ((3, 100), 7)])
def test_topk(rng, shape, k, dtype, descending):
    x = rng.integers(0, 50, shape).astype(dtype)
    for dim in (0, 1):
        count = min(k, shape[dim])
        size = (count, shape[1]) if dim == 0 else (shape[0], count)
        out, places = np.empty((2, *size), dtype), np.empty(size, np.int32)
        topk_kernel[(1,)](x, out, places, *shape, K=count, DIM=dim, DESCENDING=descending)
        order = np.take(stable_order(x, dim, descending), range(count), dim)
        expected = np.take_along_axis(x, order, dim)
        assert same(out[0], expected) and same(out[1], expected)
        assert same(places, order.astype(np.int32))


@tw.jit
def merge_kernel(x, out, N: tl.constexpr, DESCENDING: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.bitonic_merge(tl.load(x + i), descending=DESCENDING))


@pytest.mark.parametrize("descending", [False, True])
def test_bitonic_merge(rng, descending):
    x = rng.standard_normal(64).astype(np.float32)
    x[:32].sort()
    x[32:] = np.sort(x[32:])[::-1]
    out = np.empty_like(x)
    merge_kernel[(1,)](x, out, N=64, DESCENDING=descending)
    assert same(out, ordered(x, 0, descending))


@tw.jit
def sort_then_kernel(x, out, n, BLOCK: tl.constexpr):
    """The median of each of the elements that count."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=float("inf"))
    s = tl.sort(v * 2)
    tl.store(out, tl.sum(tl.where(i == n // 2, s, 0.0)))


def test_a_median(rng):
    x = rng.standard_normal(101).astype(np.float32)
    out = np.empty(1, np.float32)
    sort_then_kernel[(1,)](x, out, 101, BLOCK=128)
    assert out[0] == 2 * np.median(x)


# --- histograms -----------------------------------------------------------------------------------
@tw.jit
def histogram_kernel(x, counts, n, N: tl.constexpr, BINS: tl.constexpr, MASKED: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    if MASKED:
        h = tl.histogram(v, BINS, mask=i < n)
    else:
        h = v.histogram(BINS)
    tl.store(counts + tl.arange(0, BINS), h)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_histogram(rng, dtype, masked):
    for size, bins in [(1, 1), (2, 8), (32, 128), (1024, 64), (2048, 2), (128, 1024), (100, 33)]:
        x = some(rng, dtype, (size,))
        x[::2] = rng.integers(0, min(bins, 100), x[::2].size)
        n = size if not masked else int(rng.integers(0, size + 1))
        counts = np.full(bins, -1, np.int32)
        histogram_kernel[(1,)](x, counts, n, N=size, BINS=bins, MASKED=masked)
        inside = x[:n]
        inside = inside[(inside >= 0) & (inside < bins)].astype(np.int64)
        assert same(counts, np.bincount(inside, minlength=bins).astype(np.int32))
