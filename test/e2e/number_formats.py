"""The language's number types as data, and exact conversions between them.

Values are held as long doubles, which have every value of every type (64 bits of significand).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import tilewright.language as tl

Exact = np.longdouble


@dataclass(frozen=True)
class Format:
    """A float of 8 or 16 bits.

    Attributes:
        bits: Of the stored significand.
        largest: Code of the largest finite magnitude that conversions give.
        nan: Code of NaN; None where there is none.
        has_infinity: It follows the largest code.
        has_negative_zero: Else its code is NaN.
    """

    width: int
    bits: int
    bias: int
    largest: int
    nan: int | None
    has_infinity: bool = False
    has_negative_zero: bool = True

    @property
    def sign(self) -> int:
        return 1 << (self.width - 1)

    @property
    def code(self) -> np.dtype:
        return np.dtype(f"u{self.width // 8}")


FORMATS = {
    tl.float8e5: Format(8, 2, 15, 0x7B, 0x7F, True), tl.float8e4nv: Format(8, 3, 7, 0x7E, 0x7F),
    tl.float8e5b16: Format(8, 2, 16, 0x7F, 0x80, has_negative_zero=False),
    tl.float8e4b8: Format(8, 3, 8, 0x7F, 0x80, has_negative_zero=False),
    tl.float8e4b15: Format(8, 3, 15, 0x7E, None),
    tl.float16: Format(16, 10, 15, 0x7BFF, 0x7E00, True), tl.bfloat16: Format(16, 7, 127, 0x7F7F, 0x7FC0, True),
}
WIDE = {tl.float32: np.dtype("f4"), tl.float64: np.dtype("f8")}
INTEGERS = {type: np.dtype(type.name) for type in (tl.int8, tl.int16, tl.int32, tl.int64,
                                                   tl.uint8, tl.uint16, tl.uint32, tl.uint64)}
NUMBERS = [tl.int1, *INTEGERS, *FORMATS, *WIDE]


def storage(type) -> np.dtype:
    """The unsigned integer that holds a value's bits."""
    return np.dtype(f"u{type.itemsize}")


# --- reading codes --------------------------------------------------------------------------------
@cache
def values_of(type) -> np.ndarray:
    """The value of each code of a narrow float."""
    form = FORMATS[type]
    codes = np.arange(1 << form.width)
    magnitude = codes & (form.sign - 1)
    exponent, fraction = magnitude >> form.bits, magnitude & ((1 << form.bits) - 1)
    significand = np.where(exponent == 0, fraction, fraction + (1 << form.bits)).astype(Exact)
    values = np.ldexp(significand, np.maximum(exponent, 1) - form.bias - form.bits)
    if form.has_infinity:
        values[magnitude == form.largest + 1] = np.inf
        values[magnitude > form.largest + 1] = np.nan
    elif form.has_negative_zero and form.nan is not None:
        values[magnitude == form.nan] = np.nan
    values = np.where(codes & form.sign, -values, values)
    if not form.has_negative_zero:
        values[form.sign] = np.nan
    return values


def decode(bits: np.ndarray, type) -> np.ndarray:
    """The values of bit patterns, as long doubles."""
    if type in FORMATS:
        return values_of(type)[bits]
    if type is tl.int1:
        return (bits != 0).astype(Exact)
    return bits.view(WIDE.get(type) or INTEGERS[type]).astype(Exact)


# --- writing codes --------------------------------------------------------------------------------
def _round_narrow(x: np.ndarray, form: Format, values: np.ndarray, toward_zero: bool) -> np.ndarray:
    magnitude, sign = np.abs(x), np.signbit(x)
    below = np.clip(np.searchsorted(values, magnitude, side="right") - 1, 0, form.largest)
    unit = np.ldexp(Exact(1), np.maximum(below >> form.bits, 1) - form.bias - form.bits)
    rest = magnitude - values[below]  # NaN compares false, and is replaced below
    up = np.zeros(x.shape, bool) if toward_zero else (rest * 2 > unit) | ((rest * 2 == unit) & (below % 2 == 1))
    saturates = form.width == 8 or toward_zero
    code = np.minimum(below + up, form.largest + (not saturates))
    if form.width == 16:
        code = np.where(np.isinf(magnitude), form.largest + 1, code)
    if not form.has_negative_zero:
        code = np.where(np.isinf(magnitude), form.nan, np.where(sign & (code > 0), code | form.sign, code))
        return np.where(np.isnan(x), form.nan, code).astype(form.code)
    code = np.where(np.isnan(x), form.largest if form.nan is None else form.nan, code)
    return (code | np.where(sign, form.sign, 0)).astype(form.code)


def _round_wide(x: np.ndarray, dtype: np.dtype, toward_zero: bool) -> np.ndarray:
    nearest = x.astype(dtype)
    if toward_zero:
        beyond = np.abs(nearest.astype(Exact)) > np.abs(x)
        nearest = np.where(beyond, np.nextafter(nearest, dtype.type(0)), nearest)
    return nearest


def _to_integer(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    limits = np.iinfo(dtype)
    whole = np.trunc(np.where(np.isnan(x), 0, x))
    low, high = whole <= limits.min, whole >= Exact(limits.max)
    middle = np.where(low | high, 0, whole).astype(dtype)
    return np.where(low, limits.min, np.where(high, limits.max, middle)).astype(dtype)


def convert(bits: np.ndarray, source, to, toward_zero: bool = False) -> np.ndarray:
    """The bits of a conversion by the language's rules."""
    if source is to:
        return bits
    if to is tl.int1:
        return (decode(bits, source) != 0).astype(np.uint8)
    if not source.is_floating() and not to.is_floating():  # wraps
        signed = bits if source is tl.int1 else bits.view(INTEGERS[source])
        return signed.astype(INTEGERS[to]).view(storage(to))
    x = decode(bits, source)
    if to in FORMATS:
        form = FORMATS[to]
        return _round_narrow(x, form, values_of(to)[:form.largest + 1], toward_zero)
    return (_round_wide(x, WIDE[to], toward_zero) if to in WIDE else _to_integer(x, INTEGERS[to])).view(storage(to))


def same_bits(result: np.ndarray, expected: np.ndarray, type) -> np.ndarray:
    """Where bits are equal, signs of zeros included; any NaN equals any NaN."""
    equal = result == expected
    if type.is_floating():
        equal |= np.isnan(decode(result, type)) & np.isnan(decode(expected, type))
    return equal


# --- values to try --------------------------------------------------------------------------------
def some_bits(rng: np.random.Generator, type, count: int = 1 << 16) -> np.ndarray:
    """Bit patterns: all of 8 and 16 bits; of wider types random ones, and the neighbourhood of narrow floats."""
    if type is tl.int1:
        return np.arange(256, dtype=np.uint8) % 2
    dtype = storage(type)
    if dtype.itemsize <= 2:
        return np.arange(1 << (8 * dtype.itemsize), dtype=np.uint32).astype(dtype)
    bits = rng.integers(0, 1 << (8 * dtype.itemsize), count, dtype)
    if not type.is_floating():
        return bits >> rng.integers(0, 8 * dtype.itemsize, count).astype(dtype) if type.is_int_unsigned() else (
            bits.view(INTEGERS[type]) >> rng.integers(0, 8 * dtype.itemsize, count)).view(dtype)
    parts = [bits[: count // 4]]
    for narrow in FORMATS:
        finite = values_of(narrow)[np.isfinite(values_of(narrow))]
        chosen = rng.choice(finite, count // 16).astype(WIDE[type])
        half = np.ldexp(np.abs(chosen), -FORMATS[narrow].bits - 1) * rng.integers(-2, 3, chosen.size)
        near = (chosen + half).astype(WIDE[type]).view(dtype)
        parts.append(near + rng.integers(-1, 2, chosen.size).astype(dtype))
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 2.0**31, -2.0**31, 2.0**63, -2.0**63, 2.0**64, 65520.0,
                        1e-45, 1.0, -1.0, 0.5, 255.5, 256.0], WIDE[type])
    return np.concatenate([*parts, special.view(dtype)])
