"""Reductions of all kinds along all dimensions, against numpy."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import BF16, FLOATS, INTEGERS, is_float, same, some

SHAPES = [(1,), (2,), (32,), (1024,), (128, 2), (4, 32, 8), (2, 4, 2, 16), (2, 3, 4, 2, 5), (96,), (5, 7)]


@tw.jit
def reduce_kernel(x, out, OP: tl.constexpr, SHAPE: tl.constexpr, AXIS: tl.constexpr, KEEP: tl.constexpr,
                  N: tl.constexpr):
    r = OP(tl.load(x + tl.arange(0, N)).reshape(SHAPE), AXIS, KEEP)
    tl.store(out + tl.arange(0, r.numel), r.reshape(r.numel))


def reduced(op, x, axis, dtype, keep=False):
    count = 1 if axis is None else x.size // x.shape[axis]
    out = np.empty(count, dtype)
    reduce_kernel[(1,)](x, out, OP=op, SHAPE=x.shape, AXIS=axis, KEEP=keep, N=x.size)
    return out


def axes_of(shape):
    return [None, *range(-len(shape), len(shape))]


def wide(dtype):
    """The type that narrow integers are summed in."""
    if dtype.itemsize < 4 and not is_float(dtype):
        return np.dtype(np.int32 if dtype.kind in "ib" else np.uint32)
    return dtype


@tw.jit
def total(v, axis: tl.constexpr, keep: tl.constexpr):
    return tl.sum(v, axis, keep_dims=keep)


@tw.jit
def exclusive(v, axis: tl.constexpr, keep: tl.constexpr):
    return v.xor_sum(axis, keep)


@tw.jit
def any_bit(v, axis: tl.constexpr, keep: tl.constexpr):
    return tl.reduce_or(v, axis, keep_dims=keep)


@tw.jit
def largest(v, axis: tl.constexpr, keep: tl.constexpr):
    return v.max(axis=axis, keep_dims=keep)


@tw.jit
def smallest(v, axis: tl.constexpr, keep: tl.constexpr):
    return tl.min(v, axis=axis, keep_dims=keep)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_integers_of_any_rank(rng, shape, keep):
    x = some(rng, np.dtype(np.int32), shape)
    for axis in axes_of(shape):
        for op, expected in ((total, np.add), (exclusive, np.bitwise_xor), (any_bit, np.bitwise_or),
                             (largest, np.maximum), (smallest, np.minimum)):
            if axis is None and op is any_bit:
                continue
            exact = np.asarray(expected.reduce(x, axis)).ravel()  # a sum of numpy is wider
            assert same(reduced(op, x, axis, np.int32, keep), exact.astype(np.int32))


@pytest.mark.parametrize("dtype", [np.dtype(bool), *INTEGERS], ids=str)
def test_integers_of_any_type(rng, dtype):
    for shape in ((64,), (8, 32)):
        x = some(rng, dtype, shape)
        for axis in range(len(shape)):
            # The largest and smallest of narrow ones come as int32, whatever their sign.
            result = np.dtype(np.int32) if dtype.itemsize < 4 else dtype
            for op, expected in ((total, np.add.reduce(x, axis, dtype=wide(dtype))),
                                 (exclusive, np.bitwise_xor.reduce(x, axis)), (any_bit, np.bitwise_or.reduce(x, axis)),
                                 (largest, np.maximum.reduce(x, axis).astype(result)),
                                 (smallest, np.minimum.reduce(x, axis).astype(result))):
                expected = np.asarray(expected).ravel()
                assert same(reduced(op, x, axis, expected.dtype), expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats_of_any_type(rng, dtype):
    for shape in ((128,), (8, 32), (4, 4, 16)):
        x = rng.standard_normal(shape).astype(dtype)
        for axis in axes_of(shape):
            result = reduced(total, x, axis, dtype).astype(np.float64)
            exact, size = x.astype(np.float64).sum(axis).ravel(), np.abs(x.astype(np.float64)).sum(axis).ravel()
            eps = 2.0 ** -7 if dtype == BF16 else float(np.finfo(dtype).eps)
            assert np.all(np.abs(result - exact) <= eps * size * 9)
        special = some(rng, dtype, shape).astype(np.float64).astype(dtype)
        kind = np.dtype(np.float32) if dtype.itemsize < 4 else dtype
        for axis in axes_of(shape):
            for op, expected in ((largest, np.fmax), (smallest, np.fmin)):
                assert same(reduced(op, special, axis, kind),
                            np.asarray(expected.reduce(special.astype(kind), axis)).ravel())


@tw.jit
def typed_total(x, out, N: tl.constexpr, TO: tl.constexpr):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, N)), dtype=TO))


@pytest.mark.parametrize("source, to, result", [
    ("int8", tl.int8, "int8"), ("int8", tl.int64, "int64"), ("int32", tl.float64, "float64"),
    ("float16", tl.float32, "float32"), ("float32", tl.float64, "float64"), ("uint8", tl.uint16, "uint16")])
def test_the_type_of_a_sum(rng, source, to, result):
    x = rng.integers(0, 100, 128).astype(source)
    out = np.empty(1, result)
    typed_total[(1,)](x, out, N=128, TO=to)
    assert out[0] == x.sum(dtype=result)


# --- places -----------------------------------------------------------------------------------------
@tw.jit
def place_kernel(x, value, index, alone, OP: tl.constexpr, SHAPE: tl.constexpr, AXIS: tl.constexpr,
                 LEFT: tl.constexpr, KEEP: tl.constexpr, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N)).reshape(SHAPE)
    if OP == "max":
        r, i = tl.max(v, AXIS, return_indices=True, return_indices_tie_break_left=LEFT, keep_dims=KEEP)
        j = tl.argmax(v, AXIS, tie_break_left=LEFT, keep_dims=KEEP)
    else:
        r, i = v.min(AXIS, True, LEFT, KEEP)
        j = v.argmin(AXIS, LEFT, KEEP)
    out = tl.arange(0, r.numel)
    tl.store(value + out, r.reshape(r.numel))
    tl.store(index + out, i.reshape(r.numel))
    tl.store(alone + out, j.reshape(r.numel))


def places(op, x, axis, left, keep):
    count = 1 if axis is None else x.size // x.shape[axis]
    kind = np.dtype(np.float32) if x.dtype == BF16 else x.dtype
    value, index, alone = np.empty(count, kind), np.empty(count, np.int32), np.empty(count, np.int32)
    place_kernel[(1,)](x, value, index, alone, OP=op, SHAPE=x.shape, AXIS=axis, LEFT=left, KEEP=keep, N=x.size)
    return value, index, alone


@pytest.mark.parametrize("op", ["max", "min"])
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
def test_places_and_ties(rng, dtype, op):
    for shape in ((2,), (128,), (16, 32), (4, 2, 8)):
        x = rng.integers(0, 7, shape).astype(dtype)
        # 16 bits at least, so that numpy orders it; the smallest index wins among equals.
        plain = x.astype(np.float64) if is_float(dtype) else x
        for axis in axes_of(shape):
            value, index, alone = places(op, x, axis, True, False)
            expected = np.asarray(getattr(plain, "arg" + op)(axis)).ravel()
            assert same(index, expected.astype(np.int32)) and same(alone, index)
            assert same(value, np.asarray(getattr(plain, op)(axis)).ravel().astype(value.dtype))


@pytest.mark.parametrize("op", ["max", "min"])
@pytest.mark.parametrize("dtype", [np.dtype("uint8"), np.dtype("int64"), np.dtype("float16"), BF16], ids=str)
def test_places_without_a_rule_for_ties(rng, dtype, op):
    x = rng.integers(0, 100, (8, 64)).astype(dtype)
    plain = x.astype(np.float64)
    for axis in (0, 1):
        value, index, _ = places(op, x, axis, False, True)
        found = np.take_along_axis(plain, np.expand_dims(index, axis), axis).ravel()
        assert same(found, getattr(plain, op)(axis)) and same(value.astype(np.float64), found)
    different = rng.permutation(128).astype(dtype)
    if np.unique(different.astype(np.float64)).size == 128:
        assert places(op, different, 0, False, False)[1][0] == getattr(different.astype(np.float64), "arg" + op)()


# --- functions of the user -----------------------------------------------------------------------------
@tw.jit
def nearer(distance_a, index_a, weight_a, distance_b, index_b, weight_b):
    first = (distance_a < distance_b) | ((distance_a == distance_b) & (index_a < index_b))
    return tl.where(first, distance_a, distance_b), tl.where(first, index_a, index_b), weight_a + weight_b


@tw.jit
def nearest_kernel(x, target, distance, index, weight, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr,
                   KEEP: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + i)
    d, k, w = tl.reduce((tl.abs(v - target), i.to(tl.int64), v.to(tl.int16)), AXIS, nearer, keep_dims=KEEP)
    out = tl.arange(0, d.numel)
    tl.store(distance + out, d.reshape(d.numel))
    tl.store(index + out, k.reshape(d.numel))
    tl.store(weight + out, w.reshape(d.numel))


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_blocks_of_three_types_together(rng, axis, keep):
    for shape in ((1, 4), (32, 64), (128, 2)):
        x = rng.integers(-50, 50, shape).astype(np.float32)
        count = x.size // shape[axis]
        distance, index, weight = np.empty(count, np.float32), np.empty(count, np.int64), np.empty(count, np.int16)
        nearest_kernel[(1,)](x, 7.0, distance, index, weight, M=shape[0], N=shape[1], AXIS=axis, KEEP=keep)
        gap = np.abs(x - 7)
        assert same(distance, gap.min(axis))
        places = np.expand_dims(gap.argmin(axis), axis)
        assert same(index, np.take_along_axis(np.arange(x.size).reshape(shape), places, axis).ravel())
        assert same(weight, x.astype(np.int16).sum(axis, dtype=np.int16))


@tw.jit
def branch_kernel(x, out, scan, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out, tl.reduce(v, 0, larger_magnitude))
    tl.store(scan + i, tl.associative_scan(v, 0, larger_magnitude))


@tw.jit
def larger_magnitude(a, b):
    """The one that is further from zero, by a branch."""
    if tl.abs(a) >= tl.abs(b):
        result = a
    else:
        result = b
    return result


@pytest.mark.parametrize("size", [2, 64, 1024])
def test_branches_in_a_combine_function(rng, size):
    x = rng.permutation(np.arange(1, size + 1)).astype(np.int32) * rng.choice([-1, 1], size).astype(np.int32)
    out, scan = np.empty(1, np.int32), np.empty(size, np.int32)
    branch_kernel[(1,)](x, out, scan, N=size)
    assert out[0] == x[np.abs(x).argmax()]
    met = np.maximum.accumulate(np.abs(x))
    assert same(np.abs(scan), met) and same(scan, x[np.argsort(np.abs(x))][met - 1])


# --- functions made of reductions ------------------------------------------------------------------------
@tw.jit
def softmax_kernel(x, out, M: tl.constexpr, N: tl.constexpr, DIM: tl.constexpr, IEEE: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + i, tl.softmax(tl.load(x + i), DIM, keep_dims=True, ieee_rounding=IEEE))


@pytest.mark.parametrize("ieee", [False, True])
@pytest.mark.parametrize("dim", [None, 0, 1])
def test_softmax_along_a_dimension(rng, dim, ieee):
    for shape in ((1, 32), (16, 64), (128, 2)):
        x = (rng.standard_normal(shape) * 10).astype(np.float32)
        out = np.empty_like(x)
        softmax_kernel[(1,)](x, out, M=shape[0], N=shape[1], DIM=dim, IEEE=ieee)
        axis = 0 if dim is None else dim
        e = np.exp(x.astype(np.float64) - x.max(axis, keepdims=True))
        assert np.allclose(out, e / e.sum(axis, keepdims=True), rtol=4e-6, atol=1e-30)


@tw.jit
def standard_kernel(x, y, quotient, squashed, rows, columns, N: tl.constexpr, M: tl.constexpr, G: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(quotient + i, tl.cdiv(a, b))
    tl.store(squashed + i, tl.standard.sigmoid(a.to(tl.float32) / 8))
    row, column = tl.swizzle2d(i // M, i % M, N // M, M, G)
    tl.store(rows + i, row)
    tl.store(columns + i, column)


def test_quotients_sigmoids_and_swizzles(rng):
    x, y = rng.integers(0, 100, 64).astype(np.int32), rng.integers(1, 9, 64).astype(np.int32)
    quotient, rows, columns = (np.empty(64, np.int32) for _ in range(3))
    squashed = np.empty(64, np.float32)
    standard_kernel[(1,)](x, y, quotient, squashed, rows, columns, N=64, M=8, G=4)
    assert same(quotient, -(-x // y))
    assert np.allclose(squashed, 1 / (1 + np.exp(-x / 8)), rtol=1e-6)
    # Down the columns of groups of four rows.
    order = [(group + row, column) for group in (0, 4) for column in range(8) for row in range(4)]
    assert [*zip(rows, columns, strict=True)] == order


@tw.jit
def names_kernel(x, out, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    tl.store(out, tl.reduce(v, 0, tl.standard._sum_combine))
    tl.store(out + 1, tl.reduce(v, 0, tl.standard._elementwise_max))
    tl.store(out + 2, tl.reduce(v, 0, tl.standard._elementwise_min))
    tl.store(out + 3, tl.reduce(v, 0, tl.standard._xor_combine))
    tl.store(out + 4, tl.reduce(v, 0, tl.standard._or_combine))
    tl.store(out + 5, tl.standard.sum(v) + tl.standard.max(v) + tl.standard.argmax(v, 0))
    tl.store(out + 6, tl.associative_scan(v, 0, tl.standard._prod_combine).max())


def test_the_names_of_the_module_of_standard_functions(rng):
    x = rng.permutation(np.arange(2, 10)).astype(np.int32)
    out = np.empty(7, np.int32)
    names_kernel[(1,)](x, out, N=8)
    product = int(np.prod(x))
    assert out.tolist() == [x.sum(), x.max(), x.min(), np.bitwise_xor.reduce(x), np.bitwise_or.reduce(x),
                            x.sum() + x.max() + x.argmax(), product]
