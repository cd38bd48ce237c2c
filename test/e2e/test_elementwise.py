"""Operators and functions, by element type, against numpy."""

import math

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import FLOATS, INTEGERS, is_float, same, some, ulp_error

SIZE = 1000  # no multiple of a block


@tw.jit
def binary_kernel(x, y, out, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, OP(tl.load(x + i, mask=mask), tl.load(y + i, mask=mask)), mask=mask)


@tw.jit
def unary_kernel(x, out, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, OP(tl.load(x + i, mask=mask)), mask=mask)


def run_binary(op, x, y, dtype):
    out = np.empty(x.shape, dtype)
    binary_kernel[(tw.cdiv(x.size, 256),)](x, y, out, x.size, OP=op, BLOCK=256)
    return out


def run_unary(op, x, dtype=None):
    out = np.empty(x.shape, dtype or x.dtype)
    unary_kernel[(tw.cdiv(x.size, 256),)](x, out, x.size, OP=op, BLOCK=256)
    return out


# --- integers -------------------------------------------------------------------------------------
@tw.jit
def add(x, y):
    return x + y


@tw.jit
def sub(x, y):
    return x - y


@tw.jit
def mul(x, y):
    return x * y


@tw.jit
def floordiv(x, y):
    return x // y


@tw.jit
def mod(x, y):
    return x % y


@tw.jit
def bit_and(x, y):
    return x & y


@tw.jit
def bit_or(x, y):
    return x | y


@tw.jit
def bit_xor(x, y):
    return x ^ y


@tw.jit
def shl(x, y):
    return x << y


@tw.jit
def shr(x, y):
    return x >> y


def truncated(x, y):
    """The quotient that rounds towards zero; x // 0 is x, and the smallest integer over -1 itself."""
    y = np.where(y == 0, 1, y).astype(y.dtype)
    quotient = np.abs(x.astype(object)) // np.abs(y.astype(object))
    negative = (x < 0) != (y < 0)
    values = np.where(negative, -quotient, quotient)
    bits = 8 * x.dtype.itemsize
    return np.array([int(v) & ((1 << bits) - 1) for v in values], f"u{x.dtype.itemsize}").view(x.dtype)


def remainder(x, y):
    return np.where(y == 0, 0, x - truncated(x, y) * y).astype(x.dtype)


def shift_amount(y):
    return y & (8 * y.dtype.itemsize - 1)


INTEGER_OPS = [(add, np.add), (sub, np.subtract), (mul, np.multiply), (floordiv, truncated), (mod, remainder),
               (bit_and, np.bitwise_and), (bit_or, np.bitwise_or), (bit_xor, np.bitwise_xor),
               (shl, lambda x, y: np.left_shift(x, shift_amount(y))),
               (shr, lambda x, y: np.right_shift(x, shift_amount(y)))]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("op, reference", INTEGER_OPS, ids=lambda op: getattr(op, "__name__", ""))
def test_integers(rng, op, reference, dtype):
    x, y = some(rng, dtype, SIZE), some(rng, dtype, SIZE)
    with np.errstate(all="ignore"):
        assert same(run_binary(op, x, y, dtype), reference(x, y))


# --- floats ---------------------------------------------------------------------------------------
@tw.jit
def bits_kernel(x, out, SHIFT: tl.constexpr, MASK: tl.constexpr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    value = tl.load(x + i)
    right, left = ((value >> SHIFT) & MASK).to(tl.int16), ((value << SHIFT) & MASK).to(tl.int16)
    tl.store(out + i, ((right | 0x6400) ^ left).to(tl.float16, bitcast=True) - 1032.0)


@pytest.mark.parametrize("dtype, mask", [("int8", 15), ("int8", 127), ("uint8", 15), ("int16", 15), ("int16", 1023)])
@pytest.mark.parametrize("shift", [0, 1, 4, 7])
def test_bits_that_become_halves(rng, dtype, mask, shift):
    x = rng.integers(-128 if dtype != "uint8" else 0, 128, 1024).astype(dtype) * np.array(1, dtype)
    out = np.empty(x.size, np.float16)
    bits_kernel[(1,)](x, out, SHIFT=shift, MASK=mask, SIZE=x.size)
    right, left = ((bits & mask).astype(np.int16) for bits in (x >> shift, x << shift))
    assert same(out, ((right | 0x6400) ^ left).view(np.float16) - np.float16(1032))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("op, reference", INTEGER_OPS[:3], ids=lambda op: getattr(op, "__name__", ""))
def test_floats(rng, op, reference, dtype):
    x, y = some(rng, dtype, SIZE), some(rng, dtype, SIZE)
    with np.errstate(all="ignore"):
        assert same(run_binary(op, x, y, dtype), reference(x, y).astype(dtype))


@tw.jit
def divide(x, y):
    return x / y


@tw.jit
def divide_exactly(x, y):
    return tl.fdiv(x, y, ieee_rounding=True)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_division(rng, dtype):
    x, y = some(rng, dtype, SIZE), some(rng, dtype, SIZE)
    wide = np.float64 if dtype == np.float64 else np.float32
    with np.errstate(all="ignore"):
        exact = x.astype(np.longdouble) / y.astype(np.longdouble)
        assert same(run_binary(divide_exactly, x, y, dtype), (x.astype(wide) / y.astype(wide)).astype(dtype))
        assert ulp_error(run_binary(divide, x, y, wide), exact) <= 2.0


@tw.jit
def fmod(x, y):
    return x % y


@pytest.mark.parametrize("dtype", [np.dtype("float32"), np.dtype("float64")], ids=str)
def test_remainder_of_floats(rng, dtype):
    x, y = some(rng, dtype, SIZE), some(rng, dtype, SIZE)
    with np.errstate(all="ignore"):
        assert same(run_binary(fmod, x, y, dtype), np.fmod(x, y))


# --- comparisons and choices --------------------------------------------------------------------------
@tw.jit
def less(x, y):
    return x < y


@tw.jit
def not_equal(x, y):
    return x != y


@tw.jit
def greater_or_equal(x, y):
    return x >= y


@tw.jit
def equal(x, y):
    return x == y


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS, ids=str)
@pytest.mark.parametrize("op, reference", [(less, np.less), (not_equal, np.not_equal), (equal, np.equal),
                                           (greater_or_equal, np.greater_equal)], ids=lambda op: op.__name__)
def test_comparisons(rng, op, reference, dtype):
    x, y = some(rng, dtype, SIZE), some(rng, dtype, SIZE)
    y[::3] = x[::3]
    assert same(run_binary(op, x, y, bool), reference(x, y))


@tw.jit
def smaller(x, y):
    return tl.minimum(x, y)


@tw.jit
def larger(x, y):
    return tl.maximum(x, y)


@tw.jit
def larger_or_nan(x, y):
    return tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS, ids=str)
def test_extrema(rng, dtype):
    x, y = some(rng, dtype, SIZE), some(rng, dtype, SIZE)
    low, high = (np.fmin, np.fmax) if is_float(dtype) else (np.minimum, np.maximum)
    assert same(run_binary(smaller, x, y, dtype), low(x, y))
    assert same(run_binary(larger, x, y, dtype), high(x, y))
    if is_float(dtype):
        assert same(run_binary(larger_or_nan, x, y, dtype), np.maximum(x, y))


@tw.jit
def choose(x, y):
    return tl.where(x > y, x, -1)


def test_where(rng):
    x, y = some(rng, np.dtype("int32"), SIZE), some(rng, np.dtype("int32"), SIZE)
    assert same(run_binary(choose, x, y, np.int32), np.where(x > y, x, -1))


# --- functions ----------------------------------------------------------------------------------------
@tw.jit
def exp(x):
    return tl.exp(x)


@tw.jit
def exp2(x):
    return tl.exp2(x)


@tw.jit
def log(x):
    return tl.log(x)


@tw.jit
def log2(x):
    return tl.log2(x)


@tw.jit
def sin(x):
    return tl.sin(x)


@tw.jit
def cos(x):
    return tl.cos(x)


@tw.jit
def sqrt(x):
    return tl.sqrt(x)


@tw.jit
def rsqrt(x):
    return tl.rsqrt(x)


@tw.jit
def erf(x):
    return tl.erf(x)


@tw.jit
def floor(x):
    return tl.floor(x)


@tw.jit
def ceil(x):
    return tl.ceil(x)


@tw.jit
def absolute(x):
    return tl.abs(x)


@tw.jit
def sigmoid(x):
    return tl.sigmoid(x)


FUNCTIONS = [(exp, np.exp), (exp2, np.exp2), (log, np.log), (log2, np.log2), (sin, np.sin), (cos, np.cos),
             (sqrt, np.sqrt), (rsqrt, lambda x: 1 / np.sqrt(x)), (floor, np.floor), (ceil, np.ceil),
             (erf, lambda x: np.array([math.erf(v) for v in x])), (absolute, np.abs)]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("op, reference", FUNCTIONS, ids=lambda op: getattr(op, "__name__", ""))
def test_functions(rng, device, op, reference, dtype):
    x = some(rng, dtype, SIZE)
    with np.errstate(all="ignore"):
        exact = reference(x.astype(np.float64))
    flushes = device == "cuda" and reference in (np.exp, np.exp2)
    assert ulp_error(run_unary(op, x), exact, flushes=flushes) <= 4.0


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_sigmoids(rng, dtype):
    x = np.concatenate([some(rng, dtype, SIZE - 8), np.linspace(-16, 16, 8)]).astype(dtype)
    exact = 1 / (1 + np.exp(-x.astype(np.float64)))
    assert ulp_error(run_unary(sigmoid, x), exact, flushes=True) <= 8.0


@tw.jit
def silu(x):
    wide = x.to(tl.float32)
    return (wide * tl.sigmoid(wide)).to(x.dtype)


@tw.jit
def exp_in_single(x):
    return (0.5 * tl.exp(x.to(tl.float32))).to(x.dtype)


@tw.jit
def softsign(x):
    wide = x.to(tl.float32)
    return (wide * (1.0 / (1.0 + tl.abs(wide)))).to(x.dtype)


@pytest.mark.parametrize("dtype", FLOATS[:2], ids=str)
def test_quotients_that_only_large_factors_bring_back(rng, dtype):
    """1 / (1 + x) may be no normal float, and what is multiplied by it one again, also as a half."""
    x = np.concatenate([some(rng, dtype, SIZE), rng.uniform(-88.7, -87.3, 64)]).astype(dtype)
    x = x[np.isfinite(x.astype(np.float64))]
    wide = x.astype(np.float64)
    assert ulp_error(run_unary(softsign, x), wide / (1 + np.abs(wide)), flushes=True) <= 0.51
    assert ulp_error(run_unary(silu, x[-64:]), wide[-64:] / (1 + np.exp(-wide[-64:])), flushes=True) <= 0.51


@pytest.mark.parametrize("dtype", FLOATS[:2], ids=str)
@pytest.mark.parametrize("op, reference", [(silu, lambda x: x / (1 + np.exp(-x))),
                                           (exp_in_single, lambda x: np.exp(x) / 2)], ids=["silu", "exp"])
def test_halves_computed_in_single(rng, op, reference, dtype):
    """What is rounded to halves may be computed by shorter code, and is as exact as these are."""
    # Within what exponentials of f32 hold.
    x = np.concatenate([rng.uniform(-86, 86, SIZE), rng.normal(size=SIZE), [0, -0.0, np.inf, np.nan]]).astype(dtype)
    with np.errstate(all="ignore"):
        exact = reference(x.astype(np.float64))
    assert ulp_error(run_unary(op, x), exact, flushes=True) <= 0.51


@tw.jit
def sigmoid_of_a_number(out):
    tl.store(out, tl.sigmoid(-0.5))


def test_sigmoid_of_a_number():
    out = np.zeros(1, np.float32)
    sigmoid_of_a_number[(1,)](out)
    np.testing.assert_allclose(out, 1 / (1 + np.exp(0.5)), rtol=1e-6)


@tw.jit
def fused(x, y):
    return tl.fma(x, y, y)


def test_fma_rounds_once(rng):
    x, y = (some(rng, np.dtype("float32"), SIZE, special=False) for _ in range(2))
    exact = x.astype(np.float64) * y.astype(np.float64) + y.astype(np.float64)
    assert ulp_error(run_binary(fused, x, y, np.float32), exact) <= 0.5001


@tw.jit
def high_product(x, y):
    return tl.umulhi(x, y)


@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
def test_high_half_of_a_product(rng, dtype):
    dtype = np.dtype(dtype)
    x, y = some(rng, dtype, SIZE), some(rng, dtype, SIZE)
    expected = (x.astype(object) * y.astype(object)) >> (8 * dtype.itemsize)
    assert same(run_binary(high_product, x, y, dtype), expected.astype(dtype))
