"""Numbers as numpy holds them.

fp16, fp32, fp64 and integers are numpy's own. bf16 and the 8-bit floats are held as fp32, rounded to
the values that the type has; `to_bits` and `from_bits` are their form in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..language import types as t
from ..language.types import dtype

Array = Any

_NUMPY: dict[dtype, Any] = {
    t.int1: np.bool_, t.int8: np.int8, t.int16: np.int16, t.int32: np.int32, t.int64: np.int64, t.uint8: np.uint8,
    t.uint16: np.uint16, t.uint32: np.uint32, t.uint64: np.uint64, t.float16: np.float16, t.float32: np.float32,
    t.float64: np.float64, t.bfloat16: np.float32, **dict.fromkeys(t.FLOAT8, np.float32),
}
_SIGNED = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


@dataclass(frozen=True)
class Narrow:
    """A float type that numpy lacks.

    Attributes:
        mantissa: Bits after the point.
        bias: What is added to exponents.
        largest: The largest finite value.
        infinite: Whether there are infinities.
        single_nan: Whether the bits of -0 are the only NaN.
        saturates: Whether values that are too large become the largest.
    """

    mantissa: int
    bias: int
    largest: float
    infinite: bool
    single_nan: bool = False
    saturates: bool = True


NARROW: dict[dtype, Narrow] = {
    t.bfloat16: Narrow(7, 127, float.fromhex("0x1.fep127"), True, saturates=False),
    t.float8e5: Narrow(2, 15, 57344.0, True),
    t.float8e4nv: Narrow(3, 7, 448.0, False),
    t.float8e5b16: Narrow(2, 16, 57344.0, False, True),
    t.float8e4b8: Narrow(3, 8, 240.0, False, True),
}


def numpy_type(type: dtype) -> Any:
    """What numpy holds elements in; addresses are int64."""
    scalar = type.scalar
    return np.int64 if scalar.is_ptr() else _NUMPY[scalar]


def signed(x: Array) -> Array:
    """The same bits as signed integers; a boolean is 0 or -1."""
    return -x.astype(np.int8) if x.dtype == np.bool_ else x.view(_SIGNED[x.dtype.itemsize])


def unsigned(x: Array) -> Array:
    """The same bits as unsigned integers; a boolean is 0 or 1."""
    return x.astype(np.uint8) if x.dtype == np.bool_ else x.view(_UNSIGNED[x.dtype.itemsize])


def fit(x: Array, type: dtype) -> Array:
    """Results of numpy as numbers of a type: integers wrap, floats round to nearest even."""
    scalar = type.scalar
    x = np.asarray(x)
    if scalar in NARROW:
        return round_to(scalar, x)
    if scalar.is_bool() and x.dtype != np.bool_:
        return (x.astype(np.uint8) & 1).astype(np.bool_)
    return x.astype(numpy_type(type))


def round_to(type: dtype, x: Array, to_zero: bool = False) -> Array:
    """Floats rounded to the values of a narrow type, as fp32."""
    form = NARROW[type]
    wide = np.asarray(x).astype(np.float64)
    _, exponent = np.frexp(wide)
    exponent = np.maximum(exponent - 1, 1 - form.bias)
    quantum = np.ldexp(1.0, exponent - form.mantissa)
    steps = wide / quantum
    result = np.where(np.isfinite(wide), (np.trunc(steps) if to_zero else np.rint(steps)) * quantum, wide)
    too_large = np.abs(result) > form.largest
    if form.saturates or to_zero:
        finite = too_large if form.saturates and not form.single_nan else too_large & np.isfinite(wide)
        result = np.where(finite, np.copysign(form.largest, wide), result)
        result = np.where(np.isinf(result) & (form.single_nan or not form.infinite), np.nan, result)
    elif form.infinite:
        result = np.where(too_large, np.copysign(np.inf, wide), result)
    if form.single_nan:
        result = np.where(result == 0, 0.0, result)
    return result.astype(np.float32)


@cache
def _values_of(type: dtype) -> Array:
    """The values of all bits of an 8-bit float."""
    form = NARROW[type]
    bits = np.arange(256)
    mantissa = bits & ((1 << form.mantissa) - 1)
    exponent = (bits & 0x7F) >> form.mantissa
    scale = np.ldexp(1.0, np.maximum(exponent, 1) - form.bias - form.mantissa)
    values = np.where(exponent > 0, mantissa + (1 << form.mantissa), mantissa) * scale
    values = np.where(values > form.largest, np.nan, values)
    if form.infinite:
        values[0x7F >> form.mantissa << form.mantissa] = np.inf
        values[0x80 | 0x7F >> form.mantissa << form.mantissa] = np.inf
    values = np.where(bits & 0x80, -values, values)
    if form.single_nan:
        values[0x80] = np.nan
    return values.astype(np.float32)


@cache
def _codes_of(type: dtype) -> tuple[Array, Array]:
    """The finite values that are not negative in order, and their bits."""
    values = _values_of(type)[:128]
    codes = np.flatnonzero(~np.isnan(values))
    order = np.argsort(values[codes])
    return values[codes][order], codes[order].astype(np.uint8)


def to_bits(x: Array, type: dtype) -> Array:
    """The form in memory of numbers."""
    scalar = type.scalar
    if scalar is t.bfloat16:
        bits = np.asarray(x, np.float32).view(np.uint32)
        quiet = np.where(np.isnan(x), bits | 0x400000, bits)  # a NaN stays one without its lower bits
        return (quiet >> 16).astype(np.uint16)
    if scalar not in NARROW:
        return np.asarray(x)
    form = NARROW[scalar]
    values, codes = _codes_of(scalar)
    magnitude = np.abs(x)
    place = np.minimum(np.searchsorted(values, np.where(np.isnan(magnitude), 0, magnitude)), len(codes) - 1)
    sign = np.where(np.signbit(x), 0x80, 0).astype(np.uint8)
    if form.single_nan:
        return np.where(np.isnan(x), 0x80, np.where(x == 0, 0, codes[place] | sign)).astype(np.uint8)
    return np.where(np.isnan(x), 0x7F, codes[place] | sign).astype(np.uint8)


def from_bits(x: Array, type: dtype) -> Array:
    """Numbers from their form in memory."""
    scalar = type.scalar
    if scalar is t.bfloat16:
        return (x.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    if scalar in NARROW:
        return _values_of(scalar)[x.view(np.uint8)]
    if scalar.is_bool():
        return x.view(np.uint8) != 0
    return x.view(numpy_type(type))


def memory_type(type: dtype) -> Any:
    """What numpy calls an element in memory."""
    scalar = type.scalar
    if scalar.is_ptr():
        return np.dtype(np.int64)
    if scalar.is_bool():
        return np.dtype(np.uint8)
    if scalar in NARROW:
        return np.dtype(np.uint16 if scalar is t.bfloat16 else np.uint8)
    return np.dtype(_NUMPY[scalar])


def saturate(x: Array, type: dtype, is_unsigned: bool) -> Array:
    """Floats as integers: towards zero, NaN is 0, what is out of range the nearest. IR's integers have no sign: the
    operation has."""
    bits = type.scalar.primitive_bitwidth
    low, high = (0, 2**bits - 1) if is_unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    numpy = numpy_type(type)
    wide = np.dtype(numpy if bits == 1 else f"{'u' if is_unsigned else ''}int{bits}").type
    whole = np.trunc(np.nan_to_num(np.asarray(x).astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
    inside = (whole >= float(low)) & (whole < float(high + 1))
    result = np.where(inside, whole, 0).astype(wide)
    result = np.where(whole >= float(high + 1), wide(high), result)
    return np.where(whole < float(low), wide(low), result).view(numpy)
