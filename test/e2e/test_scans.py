"""Scans, against numpy."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import BF16, FLOATS, INTEGERS, is_float, same, some

SIZES = [1, 2, 32, 100, 128, 1024]
SHAPES = [(1, 1), (4, 64), (128, 2), (32, 32), (2, 512), (5, 7), (3, 96)]


@tw.jit
def scan_kernel(x, out, OP: tl.constexpr, SHAPE: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr,
                N: tl.constexpr):
    i = tl.arange(0, N)
    r = OP(tl.load(x + i).reshape(SHAPE), AXIS, REVERSE)
    tl.store(out + i, r.reshape(N))


def scanned(op, x, axis, reverse, dtype, **options):
    out = np.empty(x.shape, dtype)
    scan_kernel[(1,)](x, out, OP=op, SHAPE=x.shape, AXIS=axis, REVERSE=reverse, N=x.size, **options)
    return out


def along(function, x, axis, reverse):
    """A numpy scan, begun at either end."""
    return np.flip(function(np.flip(x, axis), axis), axis) if reverse else function(x, axis)


def wide(dtype):
    """The type in which narrow elements are summed."""
    if is_float(dtype):
        return np.dtype(np.float32) if dtype == BF16 else dtype
    return np.dtype(np.int32 if dtype.kind in "ib" else np.uint32) if dtype.itemsize < 4 else dtype


@tw.jit
def sums(v, axis: tl.constexpr, reverse: tl.constexpr):
    return tl.cumsum(v, axis, reverse)


@tw.jit
def products(v, axis: tl.constexpr, reverse: tl.constexpr):
    return v.cumprod(axis=axis, reverse=reverse)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [np.dtype(bool), *INTEGERS], ids=str)
def test_sums_of_integers(rng, dtype, reverse):
    for shape in [(size,) for size in SIZES] + SHAPES:
        x = some(rng, dtype, shape)
        for axis in range(len(shape)):
            expected = along(lambda v, a: np.cumsum(v, a, dtype=wide(dtype)), x, axis, reverse)
            assert same(scanned(sums, x, axis, reverse, wide(dtype)), expected)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_sums_of_floats(rng, dtype, reverse):
    for shape in [(size,) for size in SIZES] + SHAPES:
        x = rng.standard_normal(shape).astype(dtype)
        for axis in range(len(shape)):
            exact = along(np.cumsum, x.astype(np.float64), axis, reverse)
            scale = along(np.cumsum, np.abs(x.astype(np.float64)), axis, reverse)
            result = scanned(sums, x, axis, reverse, wide(dtype)).astype(np.float64)
            eps = float(np.finfo(wide(dtype)).eps)
            assert np.all(np.abs(result - exact) <= eps * scale * (2 + np.log2(shape[axis])))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_products_of_integers(rng, dtype, reverse):
    for shape in [(7 + 1,), (128,), (16, 8)]:
        x = some(rng, dtype, shape) | 1  # odd: products never become zero for good
        for axis in range(len(shape)):
            expected = along(lambda v, a: np.cumprod(v, a, dtype=dtype), x, axis, reverse)
            assert same(scanned(products, x, axis, reverse, dtype), expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_products_of_floats(rng, dtype):
    x = rng.uniform(0.9, 1.1, (4, 64)).astype(dtype)
    for axis in (0, 1):
        exact = np.cumprod(x.astype(np.float64), axis)
        result = scanned(products, x, axis, False, wide(dtype)).astype(np.float64)
        assert np.all(np.abs(result / exact - 1) <= 70 * float(np.finfo(wide(dtype)).eps))


@tw.jit
def typed_sums(x, out, N: tl.constexpr, TO: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.cumsum(tl.load(x + i), dtype=TO))


@pytest.mark.parametrize("source, to, result", [("int8", tl.int8, "int8"), ("int32", tl.float64, "float64"),
                                                ("uint16", tl.int64, "int64"), ("float16", tl.float32, "float32")])
def test_the_type_of_sums(rng, source, to, result):
    x = rng.integers(0, 100, 64).astype(source)
    out = np.empty(64, result)
    typed_sums[(1,)](x, out, N=64, TO=to)
    assert same(out, np.cumsum(x, dtype=result))


@tw.jit
def special_sums(v, axis: tl.constexpr, reverse: tl.constexpr):
    return tl.cumsum(v, axis, reverse)


@pytest.mark.parametrize("reverse", [False, True])
def test_nan_and_infinity_go_on(rng, reverse):
    x = rng.integers(-9, 9, (8, 64)).astype(np.float32)
    x[0, 20], x[1, 30], x[2, 40], x[2, 50] = np.nan, np.inf, np.inf, -np.inf
    assert same(scanned(special_sums, x, 1, reverse, np.float32), along(np.cumsum, x, 1, reverse))


# --- functions of the user ------------------------------------------------------------------------
@tw.jit
def then(scale_a, offset_a, scale_b, offset_b):
    """First x -> scale_a * x + offset_a, then the other: associative, not commutative."""
    return scale_a * scale_b, offset_a * scale_b + offset_b


@tw.jit
def recurrence_kernel(scale, offset, out_scale, out_offset, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr,
                      REVERSE: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a, b = tl.associative_scan((tl.load(scale + i), tl.load(offset + i)), AXIS, then, reverse=REVERSE)
    tl.store(out_scale + i, a)
    tl.store(out_offset + i, b)


@pytest.mark.parametrize("warps", [4, 12])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (8, 128), (64, 16), (1, 2048), (6, 100)])
def test_a_recurrence_keeps_the_order(rng, shape, axis, reverse, warps):
    scale, offset = (rng.integers(-3, 4, shape).astype(np.int32) for _ in range(2))
    results = [np.empty_like(scale) for _ in range(2)]
    recurrence_kernel[(1,)](scale, offset, *results, M=shape[0], N=shape[1], AXIS=axis, REVERSE=reverse,
                            num_warps=warps)
    expected = np.empty_like(scale), np.empty_like(offset)
    a, b = (np.flip(np.moveaxis(v, axis, 0), 0) if reverse else np.moveaxis(v, axis, 0) for v in (scale, offset))
    met, rows = (a[0], b[0]), []
    rows.append(met)
    for later in range(1, shape[axis]):
        met = met[0] * a[later], met[1] * a[later] + b[later]
        rows.append(met)
    for which in (0, 1):
        whole = np.stack([row[which] for row in rows])
        expected[which][:] = np.moveaxis(np.flip(whole, 0) if reverse else whole, 0, axis)
    assert same(results[0], expected[0]) and same(results[1], expected[1])


@tw.jit
def latest(flag_a, value_a, flag_b, value_b):
    return flag_a | flag_b, tl.where(flag_b, value_b, value_a)


@tw.jit
def latest_kernel(flags, values, out, N: tl.constexpr):
    i = tl.arange(0, N)
    flag, value = tl.associative_scan((tl.load(flags + i) != 0, tl.load(values + i)), 0, latest)
    tl.store(out + i, tl.where(flag, value, -1))


@pytest.mark.parametrize("dtype", ["int8", "float16", "int64", "float64"])
def test_blocks_of_different_types(rng, dtype):
    for size in (2, 64, 512):
        flags = (rng.random(size) < 0.2).astype(np.int8)
        values = rng.integers(0, 100, size).astype(dtype)
        out = np.empty_like(values)
        latest_kernel[(1,)](flags, values, out, N=size)
        last = np.maximum.accumulate(np.where(flags != 0, np.arange(size), -1))
        assert same(out, np.where(last < 0, np.array(-1, dtype), values[last]))


@tw.jit
def largest_so_far(v, axis: tl.constexpr, reverse: tl.constexpr):
    return tl.associative_scan(v, axis, tl.maximum, reverse)


@pytest.mark.parametrize("shape", [(4096,), (8, 64), (2, 4, 8), (2, 2, 4, 8), (2, 3, 2, 4, 5)])
def test_any_dimension_of_any_rank(rng, shape):
    x = some(rng, np.dtype(np.int32), shape)
    for axis in range(-len(shape), len(shape)):
        for reverse in (False, True):
            assert same(scanned(largest_so_far, x, axis, reverse, np.int32),
                        along(np.maximum.accumulate, x, axis, reverse))


@tw.jit
def loop_kernel(x, out, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.load(x + i)
    for _ in range(steps):
        total = tl.cumsum(total) + total
    tl.store(out + i, total)


def test_scans_in_a_loop(rng):
    x = rng.integers(-5, 5, 256).astype(np.int64)
    out = np.empty_like(x)
    loop_kernel[(1,)](x, out, 3, N=256)
    for _ in range(3):
        x = np.cumsum(x) + x
    assert same(out, x)


@tw.jit
def mixed_kernel(x, out, n, BLOCK: tl.constexpr):
    """Places of the positive elements among themselves, as a compaction needs them."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=-1)
    keep = v > 0
    place = tl.cumsum(keep.to(tl.int32)) - 1
    tl.store(out + place, v, mask=keep)


@pytest.mark.parametrize("n, warps", [(1, 1), (100, 1), (1000, 4), (1024, 8)])
def test_a_compaction(rng, n, warps):
    x = rng.integers(-100, 100, n).astype(np.float32)
    out = np.zeros(n, np.float32)
    mixed_kernel[(1,)](x, out, n, BLOCK=1024, num_warps=warps)
    kept = x[x > 0]
    assert same(out[:kept.size], kept) and not out[kept.size:].any()
