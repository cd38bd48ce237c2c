"""Shapes, reductions and products, against numpy."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import BF16, FLOATS, INTEGERS, is_float, same, some, ulp_error


# --- shapes ---------------------------------------------------------------------------------------
@tw.jit
def shape_kernel(x, out, KIND: tl.constexpr):
    v = tl.load(x + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :])
    if KIND == "reshape":
        v = v.reshape(4, 32)
    elif KIND == "permute":
        v = v.reshape(2, 4, 16).permute(2, 0, 1)
    elif KIND == "trans":
        v = tl.trans(v)
    elif KIND == "join":
        v = tl.join(v, v + 1)
    elif KIND == "split":
        a, b = v.reshape(8, 8, 2).split()
        v = a - b
    elif KIND == "interleave":
        v = tl.interleave(v, v + 1)
    elif KIND == "expand":
        v = tl.broadcast_to(v[:, None, :], 8, 4, 16)
    tl.store(out + tl.arange(0, v.numel), v.ravel())


SHAPES = {
    "reshape": lambda v: v, "permute": lambda v: v.reshape(2, 4, 16).transpose(2, 0, 1), "trans": lambda v: v.T,
    "join": lambda v: np.stack([v, v + 1], -1), "split": lambda v: v[:, ::2] - v[:, 1::2],
    "interleave": lambda v: np.stack([v, v + 1], -1), "expand": lambda v: np.repeat(v[:, None], 4, 1),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_shapes(rng, kind):
    x = some(rng, np.dtype("float32"), (8, 16), special=False)
    expected = SHAPES[kind](x).ravel()
    out = np.empty(expected.size, np.float32)
    shape_kernel[(1,)](x, out, KIND=kind)
    assert same(out, expected)


# --- reductions -------------------------------------------------------------------------------------
@tw.jit
def reduce_kernel(x, out, OP: tl.constexpr, AXIS: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    v = tl.load(x + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])
    r = OP(v, AXIS)
    if AXIS is None:
        tl.store(out, r)
    else:
        tl.store(out + tl.arange(0, r.shape[0]), r)


def reduced(op, x, axis, dtype):
    shape = () if axis is None else (x.shape[1 - axis],)
    out = np.empty(shape or 1, dtype)
    reduce_kernel[(1,)](x, out, OP=op, AXIS=axis, ROWS=x.shape[0], COLUMNS=x.shape[1])
    return out if shape else out[0:1].reshape(())


@tw.jit
def total(v, axis: tl.constexpr):
    return tl.sum(v, axis)


@tw.jit
def largest(v, axis: tl.constexpr):
    return tl.max(v, axis)


@tw.jit
def smallest(v, axis: tl.constexpr):
    return tl.min(v, axis)


@tw.jit
def place_of_largest(v, axis: tl.constexpr):
    return tl.argmax(v, axis)


@tw.jit
def place_of_smallest(v, axis: tl.constexpr):
    return tl.argmin(v, axis)


@tw.jit
def exclusive(v, axis: tl.constexpr):
    return tl.xor_sum(v, axis)


@tw.jit
def times(a, b):
    return a * b


@tw.jit
def product(v, axis: tl.constexpr):
    return tl.reduce(v, axis, times)


AXES = [0, 1, None]
BLOCKS = [(1, 1), (4, 64), (128, 2), (32, 32)]


def wide(dtype):
    """The type that narrow elements are reduced in."""
    if is_float(dtype):
        return np.float32 if dtype.itemsize < 4 else dtype.type
    return (np.int32 if dtype.kind == "i" else np.uint32) if dtype.itemsize < 4 else dtype.type


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_sums_of_integers(rng, dtype, axis):
    for shape in BLOCKS:
        x = some(rng, dtype, shape)
        assert same(reduced(total, x, axis, wide(dtype)), x.sum(axis, dtype=wide(dtype)))
        assert same(reduced(exclusive, x, axis, dtype), np.bitwise_xor.reduce(x, axis, dtype=dtype))


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_floats(rng, dtype, axis):
    for shape in BLOCKS:
        x = rng.standard_normal(shape).astype(dtype)
        result, exact = reduced(total, x, axis, dtype), x.astype(np.longdouble).sum(axis)
        bound = np.finfo(dtype).eps * np.abs(x).sum(axis) * 8
        assert np.all(np.abs(result - exact) <= bound)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS, ids=str)
def test_extrema(rng, dtype, axis):
    for shape in BLOCKS:
        x = some(rng, dtype, shape)
        low, high = (np.fmin, np.fmax) if is_float(dtype) else (np.minimum, np.maximum)
        kind = np.dtype(np.float32 if is_float(dtype) else np.int32) if dtype.itemsize < 4 else dtype
        values = x.astype(kind)
        assert same(reduced(largest, x, axis, kind), np.asarray(high.reduce(values, axis)))
        assert same(reduced(smallest, x, axis, kind), np.asarray(low.reduce(values, axis)))


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("dtype", [np.dtype("int32"), np.dtype("uint8"), BF16, np.dtype("float32")], ids=str)
def test_places_of_extrema(rng, dtype, axis):
    for shape in BLOCKS:
        # Few different values, so that ties are common; the smallest index wins. A number wins over NaN.
        x = rng.integers(0, 5, shape).astype(dtype)
        if is_float(dtype):
            x[rng.random(shape) < 0.2] = np.nan
            x.flat[0] = 1
            x[0, :] = np.where(np.isnan(x[0, :]), 0, x[0, :]).astype(dtype)
            x[:, 0] = np.where(np.isnan(x[:, 0]), 0, x[:, 0]).astype(dtype)
            values = x.astype(np.float64)
            high, low = np.nanargmax(values, axis), np.nanargmin(values, axis)
        else:
            high, low = x.argmax(axis), x.argmin(axis)
        assert same(reduced(place_of_largest, x, axis, np.int32), np.asarray(high, np.int32))
        assert same(reduced(place_of_smallest, x, axis, np.int32), np.asarray(low, np.int32))


def test_reduction_by_a_function(rng):
    x = rng.integers(-3, 4, (16, 8)).astype(np.int64)
    for axis in AXES:
        assert same(reduced(product, x, axis, np.int64), np.asarray(x.prod(axis)))


@tw.jit
def merge_moments(mean_a, square_a, count_a, mean_b, square_b, count_b):
    count = count_a + count_b
    delta = mean_b - mean_a
    share = tl.where(count == 0, 0.0, count_b / count)
    return mean_a + delta * share, square_a + square_b + delta * delta * count_a * share, count


@tw.jit
def moments_kernel(x, mean, variance, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    v = tl.load(x + row * COLUMNS + tl.arange(0, COLUMNS))
    m, s, n = tl.reduce((v, tl.zeros_like(v), tl.full(v.shape, 1.0, v.dtype)), 0, merge_moments)
    tl.store(mean + row, m)
    tl.store(variance + row, s / n)


def test_reduction_of_several_blocks_together(rng):
    x = (rng.standard_normal((5, 256)) + 3).astype(np.float32)
    mean, variance = np.empty(5, np.float32), np.empty(5, np.float32)
    moments_kernel[(5,)](x, mean, variance, COLUMNS=256)
    assert np.allclose(mean, x.mean(1), rtol=1e-5) and np.allclose(variance, x.var(1), rtol=1e-4)


@tw.jit
def larger_first(a, b, place_a, place_b):
    return a > b or (a == b and place_a < place_b)


@tw.jit
def pick(a, place_a, b, place_b):
    if larger_first(a, b, place_a, place_b):
        value, place = a, place_a
    else:
        value, place = b, place_b
        if b < 0:
            value = -value
    return value, place


@tw.jit
def branching_kernel(x, value, place, COLUMNS: tl.constexpr):
    i = tl.arange(0, COLUMNS)
    v, p = tl.reduce((tl.abs(tl.load(x + i)), i), 0, pick)
    tl.store(value, v)
    tl.store(place, p)


def test_reduction_by_a_function_with_branches(rng):
    x = rng.integers(-100, 100, 256).astype(np.int32)
    value, place = np.empty(1, np.int32), np.empty(1, np.int32)
    branching_kernel[(1,)](x, value, place, COLUMNS=256)
    assert value[0] == np.abs(x).max() and place[0] == np.abs(x).argmax()


@tw.jit
def quotient_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) / tl.load(y), mask=i < n)


def test_division_of_a_block_by_a_number(rng):
    x = some(rng, np.dtype("float32"), 3000)
    x[:5] = 49, 3e38, -1e38, 1e-30, 7
    for divisor in (49, 3, -7.25, 1e38, 3e38, 1e-38, 1e-40, -3e-45, 0.0, -0.0, np.inf, -np.inf, np.nan,
                    *(rng.standard_normal(5) * 10.0 ** rng.integers(-30, 30, 5))):
        y, out = np.array([divisor], np.float32), np.empty_like(x)
        quotient_kernel[(3,)](x, y, out, x.size, BLOCK=1024)
        expected = x / y
        usual = (np.abs(x) > 1e-25) & (np.abs(expected) > 1e-25) | ~np.isfinite(expected) | (expected == 0)
        exact = x.astype(np.float64) / y.astype(np.float64)
        assert same(out[usual], expected[usual]) or ulp_error(out[usual], exact[usual]) <= 2
        rest = np.abs(out.astype(np.float64) - exact)[~usual]
        assert np.all(rest <= np.maximum(np.abs(exact[~usual]) * 2.0**-22, 3e-45))
        zeros = expected == 0
        assert np.array_equal(np.signbit(out[zeros]), np.signbit(expected[zeros]))


@tw.jit
def softmax_kernel(x, out, COLUMNS: tl.constexpr):
    i = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(out + i, tl.softmax(tl.load(x + i)))


def test_softmax(rng):
    x = rng.standard_normal((7, 128)).astype(np.float32) * 10
    out = np.empty_like(x)
    softmax_kernel[(7,)](x, out, COLUMNS=128)
    wide_x = x.astype(np.float64)
    exact = np.exp(wide_x - wide_x.max(1, keepdims=True))
    assert np.allclose(out, exact / exact.sum(1, keepdims=True), rtol=1e-5, atol=1e-30)


# --- products ---------------------------------------------------------------------------------------
@tw.jit
def dot_kernel(a, b, c, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, ACC: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x, y = tl.load(a + m[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + n[None, :])
    places = m[:, None] * N + n[None, :]
    if ACC:
        result = tl.dot(x, y, tl.load(c + places), out_dtype=out.dtype.element_ty, input_precision="ieee")
    else:
        result = tl.dot(x, y, out_dtype=out.dtype.element_ty, input_precision="ieee")
    tl.store(out + places, result)


DOTS = [("float16", "float32"), ("float16", "float16"), (BF16, "float32"), ("float32", "float32"),
        ("float64", "float64"), ("int8", "int32"), ("uint8", "int32")]


@pytest.mark.parametrize("with_accumulator", [False, True])
@pytest.mark.parametrize("operand, result", DOTS, ids=str)
def test_dot(rng, operand, result, with_accumulator):
    for M, N, K in ((16, 16, 16), (64, 32, 128), (1, 16, 32), (128, 64, 16)):
        operand, result = np.dtype(operand), np.dtype(result)
        if is_float(operand):
            a, b = (rng.standard_normal(shape).astype(operand) for shape in ((M, K), (K, N)))
            c = rng.standard_normal((M, N)).astype(result)
        else:
            a, b = some(rng, operand, (M, K)), some(rng, operand, (K, N))
            c = rng.integers(-1000, 1000, (M, N)).astype(result)
        out = np.empty((M, N), result)
        dot_kernel[(1,)](a, b, c, out, M=M, N=N, K=K, ACC=with_accumulator)
        if not is_float(operand):
            exact = a.astype(np.int64) @ b.astype(np.int64) + (c if with_accumulator else 0)
            assert same(out, exact.astype(np.int32))
            continue
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        exact = wide_a @ wide_b + (c.astype(np.float64) if with_accumulator else 0)
        size = np.abs(wide_a) @ np.abs(wide_b) + np.abs(c).astype(np.float64)
        assert np.all(np.abs(out.astype(np.float64) - exact) <= size * float(np.finfo(result).eps) * K)
