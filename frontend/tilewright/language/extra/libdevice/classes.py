"""What a float is, its parts, its neighbours, and exact operations on it."""

from __future__ import annotations

import math
import sys
from typing import Any

from ....ast.values import tensor
from ...arithmetic import compare, mod, where
from ...conversion import broadcast_together, constant_like, convert, to_tensor
from ...registry import builtin
from ...types import float32, float64, int32, int64
from .operands import absolute, bits, floats, from_bits, in_own_type, integer, of_op, op1, unfused, with_sign

trunc = of_op("trunc", "math.trunc", "The nearest integer towards zero")
round = of_op("round", "math.round", "The nearest integer; halves away from zero")
rint = of_op("rint", "math.roundeven", "The nearest integer; halves to the even one")
nearbyint = of_op("nearbyint", "math.roundeven", "The nearest integer; halves to the even one")


@builtin
def isnan(x: Any) -> tensor:
    """Whether a float is NaN."""
    (value,) = floats("isnan", x)
    return compare("!=", value, value)


@builtin
def isinf(x: Any) -> tensor:
    """Whether a float is an infinity."""
    (value,) = floats("isinf", x)
    return compare("==", absolute(_wide(value)), math.inf)


@builtin
def finitef(x: Any) -> tensor:
    """Whether a float is neither NaN nor an infinity."""
    (value,) = floats("finitef", x)
    return compare("<", absolute(_wide(value)), math.inf)


@builtin
def isfinited(x: Any) -> tensor:
    """Whether a float is neither NaN nor an infinity."""
    return finitef(x)


@builtin
def signbit(x: Any) -> tensor:
    """Whether the sign is set, of zeros and NaN too, as an int32 of 0 or 1."""
    (value,) = floats("signbit", x)
    return convert(compare("<", bits(_wide(value)), 0), int32)


def _wide(x: tensor) -> tensor:
    return x if x.dtype is float64 else convert(x, float32)


# --- exponents ------------------------------------------------------------------------------------------
def _exponent(x: tensor) -> tensor:
    """The exponent of a finite fp32 or fp64 that is not zero, as an int32."""
    stored, bias, lift, least = (52, 1023, 54, 2.0**-1022) if x.dtype is float64 else (23, 127, 25, 2.0**-126)
    size = absolute(x)
    is_small = size < least
    code = bits(where(is_small, size * 2.0**lift, size))
    exponent = convert(code >> stored, int32) - bias
    return where(is_small, exponent - lift, exponent)


@builtin
def ilogb(x: Any) -> tensor:
    """The exponent as an int32; the smallest one of zero and NaN, the largest of infinities."""
    (value,) = floats("ilogb", x)
    wide = _wide(value)
    exponent = where(absolute(wide) == math.inf, 2**31 - 1, _exponent(wide))
    return where((wide == 0.0) | (wide != wide), -2**31, exponent)


@in_own_type("logb", "The exponent as a float")
def logb(x: tensor) -> Any:
    size = absolute(x)
    exponent = where(size < math.inf, convert(_exponent(x), x.dtype), size)
    return where(x == 0.0, -math.inf, exponent)


def _scale(name: str, x: Any, n: Any) -> tensor:
    """x * 2^n, rounded once."""
    (value,) = floats(name, x)
    exponent = to_tensor(n)
    if exponent.constant is not None and isinstance(exponent.constant, int):
        exponent = convert(exponent, int32)
    exponent = convert(integer(name, exponent, int32, int64), int64)
    value, exponent = broadcast_together([value, exponent], name)
    with unfused():
        result = convert(value, float64)
        if value.dtype is not float64:  # exact in fp64 within these bounds, and rounded once from there
            bounded = where(exponent > 500, 500, where(exponent < -500, -500, exponent))
            return convert(result * _power(bounded), value.dtype)
        for _ in range(2):
            large, small = exponent > 1023, exponent < -1022
            # Not by the least normal number: the last product alone may round.
            result = where(large, result * 2.0**1023, where(small, result * 2.0**-969, result))
            exponent = where(large, exponent - 1023, where(small, exponent + 969, exponent))
        bounded = where(exponent > 1023, 1023, where(exponent < -1022, -1022, exponent))
        return result * _power(bounded)


def _power(n: tensor) -> tensor:
    return from_bits((n + 1023) << 52)


@builtin
def ldexp(x: Any, n: Any) -> tensor:
    """``x * 2**n``, rounded once."""
    return _scale("ldexp", x, n)


@builtin
def scalbn(x: Any, n: Any) -> tensor:
    """``x * 2**n``, rounded once."""
    return _scale("scalbn", x, n)


# --- neighbours -------------------------------------------------------------------------------------------
def step(x: tensor, up: tensor) -> tensor:
    """The next fp32 or fp64 upwards, or downwards; not for NaN and the infinity on that side."""
    code = bits(x)
    away = (x > 0.0) == up
    lowest = -2**(x.dtype.primitive_bitwidth - 1)
    least = where(up, constant_like(code.type, 1), constant_like(code.type, lowest + 1))
    moved = where(away, code + 1, code - 1)
    return from_bits(where(x == 0.0, least, moved))


@in_own_type("nextafter", "The next float from the first towards the second", 2)
def nextafter(x: tensor, y: tensor) -> Any:
    moved = step(x, y > x)
    return where((x != x) | (y != y), x + y, where(x == y, y, moved))


# --- exact operations on two ------------------------------------------------------------------------------------
@in_own_type("fdim", "The difference, or zero where it is negative", 2)
def fdim(x: tensor, y: tensor) -> Any:
    return where(x <= y, 0.0, x - y)


@builtin
def copysign(x: Any, y: Any) -> tensor:
    """The magnitude of the first with the sign of the second."""
    first, second = floats("copysign", x, y)
    own = first.dtype
    return convert(with_sign(_wide(first), _wide(second)), own)


@in_own_type("fmod", "The remainder of a division that rounds towards zero", 2)
def fmod(x: tensor, y: tensor) -> Any:
    return mod(x, y)


@in_own_type("remainder", "The remainder of a division that rounds to the nearest, of halves to even, integer", 2)
def remainder(x: tensor, y: tensor) -> Any:
    largest = sys.float_info.max / 2 if x.dtype is float64 else (2 - 2.0**-23) * 2.0**126
    least = 2.0**-1021 if x.dtype is float64 else 2.0**-125
    size, unit = absolute(x), absolute(y)
    rest = where(unit <= largest, mod(size, unit + unit), size)
    # Twice the rest, or half the unit, whichever is exact.
    is_small = unit < least
    half = unit * 0.5
    is_beyond = where(is_small, rest + rest > unit, rest > half)
    lower = rest - unit
    lower = where(where(is_small, lower + lower >= unit, lower >= half), lower - unit, lower)
    rest = where(is_beyond, lower, rest)
    invalid = (size == math.inf) | (unit == 0.0) | (x != x) | (y != y)
    code = bits(rest) ^ (bits(x) & -2**(x.dtype.primitive_bitwidth - 1))
    return where(invalid, math.nan, where(unit == math.inf, x, from_bits(code)))


def _to_long(name: str, op: str, summary: str) -> Any:
    def function(x: Any) -> tensor:
        (value,) = floats(name, x)
        return convert(op1(op, _wide(value)), int64)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{summary}, an int64."
    return builtin(function)


llrint = _to_long("llrint", "math.roundeven", "The nearest integer; halves to the even one")
llround = _to_long("llround", "math.round", "The nearest integer; halves away from zero")

FUNCTIONS = [
    copysign, fdim, finitef, fmod, ilogb, isfinited, isinf, isnan, ldexp, llrint, llround, logb, nearbyint, nextafter,
    remainder, rint, round, scalbn, signbit, trunc,
]
