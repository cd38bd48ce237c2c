"""Float arithmetic of the hardware where numpy has no function that rounds the same way."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

_F32_DENORMALS_END = np.finfo(np.float32).tiny


def exponent_field(value: Any) -> Any:
    """The biased exponent of f32 or f64 values."""
    value = np.asarray(value)
    if value.dtype == np.float32:
        return ((value.view(np.uint32) >> np.uint32(23)) & np.uint32(255)).astype(np.int64)
    return ((value.view(np.uint64) >> np.uint64(52)) & np.uint64(2047)).astype(np.int64)


def _is_denormal(value: Any) -> Any:
    return (exponent_field(value) == 0) & (np.asarray(value) != 0)


def _fma_in_f64(a: Any, b: Any, c: Any) -> Any:
    """a * b + c rounded to odd, so that a later rounding to f32 or f16 is the correct one.

    The product of two f32 values is exact in f64.
    """
    a, b, c = (np.asarray(x, np.float64) for x in (a, b, c))
    product, c = np.broadcast_arrays(np.atleast_1d(a * b), c)
    total = product + c
    other = total - product
    error = (product - (total - other)) + (c - other)
    bits = total.view(np.int64)
    inexact = np.isfinite(total) & (error != 0) & ((bits & 1) == 0)
    step = np.where((error > 0) == (total > 0), 1, -1)
    return np.where(inexact, bits + step, bits).view(np.float64)


def fma_f32(a: Any, b: Any, c: Any) -> Any:
    """a * b + c in f32 with one rounding."""
    return _fma_in_f64(a, b, c).astype(np.float32)


def fma_f16(a: Any, b: Any, c: Any) -> Any:
    """a * b + c in f16 with one rounding."""
    return _fma_in_f64(a, b, c).astype(np.float16)


def _fma_exact(a: float, b: float, c: float, shift: int = 0) -> float:
    """(a * b + c) * 2 ** shift with one rounding."""
    exact = None
    if math.isfinite(a) and math.isfinite(b) and math.isfinite(c):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
    if not exact:  # infinities, NaNs, and zeros, whose sign a Fraction forgets
        return float(np.float64(a) * np.float64(b) + np.float64(c))
    try:
        return float(exact * Fraction(2) ** shift)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def fma_f64(a: Any, b: Any, c: Any) -> Any:
    """a * b + c in f64 with one rounding."""
    a, b, c = np.broadcast_arrays(*(np.atleast_1d(np.asarray(x, np.float64)) for x in (a, b, c)))
    lanes = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    return np.array([_fma_exact(*lane) for lane in lanes], np.float64)


FMA = {"f16": fma_f16, "f32": fma_f32, "f64": fma_f64}


def native(function: Callable[[Any], Any], dtype: Any) -> Callable[[Any], Any]:
    """A native approximation: computed in f64, rounded once; f32 denormals flushed.

    The f32 units take and give no denormals, whatever the mode says; code that is right with them
    flushed scales around them itself.
    """

    def flush(value: Any) -> Any:
        if value.dtype != np.float32:
            return value
        zero = np.copysign(np.float32(0), value)
        return np.where(np.abs(value) < _F32_DENORMALS_END, zero, value)

    def compute(value: Any) -> Any:
        return flush(function(flush(np.asarray(value)).astype(np.float64)).astype(dtype))

    return compute


def turns(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A trigonometric function of an angle in turns."""
    return lambda angle: function(2 * np.pi * (angle - np.floor(angle)))


def multiply_zero_wins(a: Any, b: Any) -> Any:
    """The product where zero times anything, infinity and NaN included, is zero."""
    return np.where((a == 0) | (b == 0), np.float32(0), a * b)


def _pick(a: Any, b: Any, by_value: Any, merge_signs: Any) -> Any:
    """min or max; equal operands differ at most in the sign of zero, decided on the bits."""
    a, b = np.broadcast_arrays(np.atleast_1d(a), np.atleast_1d(b))
    bits = f"u{a.dtype.itemsize}"
    merged = merge_signs(a.view(bits), b.view(bits)).view(a.dtype)
    return np.where(a == b, merged, by_value(a, b))


def maximum_number(a: Any, b: Any) -> Any:
    """The larger; a NaN loses to a number."""
    return _pick(a, b, np.fmax, np.bitwise_and)


def minimum_number(a: Any, b: Any) -> Any:
    """The smaller; a NaN loses to a number."""
    return _pick(a, b, np.fmin, np.bitwise_or)


def maximum(a: Any, b: Any) -> Any:
    """The larger; a NaN wins."""
    return _pick(a, b, np.maximum, np.bitwise_and)


def minimum(a: Any, b: Any) -> Any:
    """The smaller; a NaN wins."""
    return _pick(a, b, np.minimum, np.bitwise_or)


def median(a: Any, b: Any, c: Any) -> Any:
    """The middle one of three; with a NaN among them, the smallest."""
    smallest = minimum_number(minimum_number(a, b), c)
    middle = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
    return np.where(np.isnan(a) | np.isnan(b) | np.isnan(c), smallest, middle)


def fraction(value: Any) -> Any:
    """value - floor(value), kept below one."""
    value = np.asarray(value)
    below_one = np.nextafter(value.dtype.type(1), value.dtype.type(0))
    return np.minimum(value - np.floor(value), below_one)


def mantissa(value: Any) -> Any:
    """The part of frexp in [0.5, 1); infinities and NaNs stay."""
    return np.where(np.isfinite(value), np.frexp(value)[0], value)


def exponent(dtype: Any) -> Callable[[Any], Any]:
    """The exponent that belongs to it; zero for infinities and NaNs."""
    return lambda value: np.where(np.isfinite(value), np.frexp(value)[1], 0).astype(dtype)


def scale_by_power(value: Any, power: Any) -> Any:
    """value * 2 ** power."""
    return np.ldexp(value, np.clip(np.asarray(power, np.int32), -3000, 3000))


def to_integer(dtype: Any) -> Callable[[Any], Any]:
    """Conversion towards zero that saturates; NaN gives zero."""
    limits = np.iinfo(dtype)

    def convert(value: Any) -> Any:
        value = np.asarray(value, np.float64)
        clipped = np.clip(np.trunc(value), float(limits.min), float(limits.max))
        return np.where(np.isnan(value), 0, clipped).astype(np.int64).astype(dtype)

    return convert


def to_f16_towards_zero(value: Any) -> Any:
    """f32 cut to f16; what is too large becomes the largest number."""
    value = np.asarray(value, np.float32)
    half = value.astype(np.float16)
    too_large = np.abs(half.astype(np.float64)) > np.abs(value.astype(np.float64))
    return np.where(too_large, np.nextafter(half, np.float16(0)), half)


def _division_limits(dtype: Any) -> tuple[int, int, int]:
    """The power of two that divisions scale by, and exponents that count as far apart and tiny."""
    return (64, 96, 23) if dtype == np.float32 else (128, 768, 53)


def division_scale(value: Any, denominator: Any, numerator: Any) -> tuple[Any, Any]:
    """v_div_scale: ``value``, which is one of the others, scaled so that no step leaves the range.

    Also gives the lanes whose quotient v_div_fmas must scale back. The scaling is the one under
    which the usual sequence of instructions divides right for all operands.
    """
    value, low, high = np.broadcast_arrays(
        *(np.atleast_1d(x) for x in (value, denominator, numerator))
    )
    power, far, tiny = _division_limits(value.dtype)
    up, down = np.ldexp(value, power), np.ldexp(value, -power)
    is_low, is_high = value == low, value == high
    small_reciprocal, small_quotient = (
        _is_denormal(1 / low),
        _is_denormal(high / low) | ((high / low == 0) & (high != 0)),
    )
    cases = [
        ((high == 0) | (low == 0), np.full_like(value, np.nan), False),
        (exponent_field(high) - exponent_field(low) >= far, np.where(is_low, up, value), True),
        (_is_denormal(low), up, False),
        (small_reciprocal & small_quotient, np.where(is_low, down, value), True),
        (small_reciprocal, down, False),
        (small_quotient, np.where(is_high, up, value), True),
        (exponent_field(high) <= tiny, up, False),
    ]
    conditions = [condition for condition, _, _ in cases]
    scaled = np.select(conditions, [result for _, result, _ in cases], value)
    flags = np.select(conditions, [np.full(value.shape, flag) for _, _, flag in cases], False)
    return scaled.astype(value.dtype), flags


def division_fma(a: Any, b: Any, quotient: Any, scaled: Any) -> Any:
    """v_div_fmas: the last step of a division, scaled back where the first one says so."""
    dtype = np.asarray(quotient).dtype
    power, _, _ = _division_limits(dtype)
    bias = 127 if dtype == np.float32 else 1023
    shift = np.where(exponent_field(quotient) > bias, power, -power)
    shift = np.where(scaled, shift, 0)
    if dtype == np.float32:
        return np.ldexp(_fma_in_f64(a, b, quotient), shift).astype(np.float32)
    operands = np.broadcast_arrays(*(np.atleast_1d(x) for x in (a, b, quotient, shift)))
    lanes = zip(*(operand.tolist() for operand in operands), strict=True)
    return np.array([_fma_exact(*lane) for lane in lanes], np.float64)


def division_fixup(quotient: Any, denominator: Any, numerator: Any) -> Any:
    """v_div_fixup: the quotient, or what IEEE says where the iteration cannot be right."""
    quotient, low, high = np.broadcast_arrays(
        *(np.atleast_1d(x) for x in (quotient, denominator, numerator))
    )
    dtype = quotient.dtype.type
    sign = np.where(np.signbit(low) ^ np.signbit(high), dtype(-1), dtype(1))
    infinity, nan = sign * dtype(np.inf), np.full_like(quotient, np.nan)
    cases = [
        (np.isnan(high), high),
        (np.isnan(low), low),
        ((low == 0) & (high == 0), nan),
        (np.isinf(low) & np.isinf(high), nan),
        ((low == 0) | np.isinf(high), infinity),
        (np.isinf(low) | (high == 0), sign * dtype(0)),
    ]
    if dtype != np.float16:
        # So far out that the steps before may have overflowed, to infinity or even to NaN.
        distance = exponent_field(high) - exponent_field(low)
        underflow, overflow = (-150, 128) if dtype == np.float32 else (-1075, 1024)
        cases.append((distance < underflow, sign * dtype(0)))
        cases.append((distance > overflow, infinity))
    conditions = [condition for condition, _ in cases]
    return np.select(conditions, [result for _, result in cases], sign * np.abs(quotient)).astype(
        dtype
    )


def classify(value: Any) -> Any:
    """The bit of v_cmp_class that each value falls under."""
    value = np.asarray(value)
    negative, tiny = np.signbit(value), np.finfo(value.dtype).tiny
    zero, denormal = value == 0, np.abs(value) < tiny
    # Bit 0, a signaling NaN, is not told apart from a quiet one.
    ordered = [np.isinf(value), ~np.isinf(value) & ~denormal, ~zero & denormal, zero]
    conditions = [
        np.isnan(value),
        *(c & negative for c in ordered),
        *(c & ~negative for c in ordered[::-1]),
    ]
    return np.select(conditions, [1 << (bit + 1) for bit in range(len(conditions))], 0)
