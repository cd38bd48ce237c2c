"""Integers bit by bit, halves of products and sums, and the bits of floats."""

from __future__ import annotations

from typing import Any

from ....ast.emit import emit, emit_many
from ....ast.values import tensor
from ...arithmetic import compare, where
from ...conversion import broadcast_together, cast, constant_like, convert, is_signed
from ...registry import builtin
from ...types import dtype, float32, float64, int32, int64, uint32, uint64
from .operands import floats, integer, same_integers, unfused

_WORDS = (int32, uint32)
_LONGS = (int32, uint32, int64, uint64)


@builtin
def clz(x: Any) -> tensor:
    """The number of zero bits before the first one, an int32."""
    value = integer("clz", x, *_LONGS)
    return convert(emit("math.ctlz", [value], value.type), int32)


@builtin
def popc(x: Any) -> tensor:
    """The number of one bits, an int32."""
    value = integer("popc", x, *_LONGS)
    return convert(emit("math.ctpop", [value], value.type), int32)


@builtin
def ffs(x: Any) -> tensor:
    """The position of the lowest one bit, counted from 1, an int32; 0 of 0."""
    value = integer("ffs", x, *_LONGS)
    place = convert(emit("math.cttz", [value], value.type), int32) + 1
    return where(compare("==", value, 0), constant_like(place.type, 0), place)


@builtin
def brev(x: Any) -> tensor:
    """The bits in reverse order."""
    value = integer("brev", x, *_LONGS)
    width = value.dtype.primitive_bitwidth
    code = cast(value, uint32 if width == 32 else uint64, bitcast=True)
    step = 1
    while step < width:  # neighbouring groups of `step` bits change places
        mask = sum(((1 << step) - 1) << place for place in range(0, width, 2 * step))
        code = (code >> step) & mask | (code & mask) << step
        step *= 2
    return cast(code, value.dtype, bitcast=True)


@builtin
def byte_perm(x: Any, y: Any, s: Any) -> tensor:
    """Four of the eight bytes of y and x, the lower ones of x; each three bits of a nibble of s choose one."""
    low, high, choice = broadcast_together([cast(convert(integer("byte_perm", value, *_WORDS), int32), uint32,
                                                 bitcast=True) for value in (x, y, s)], "byte_perm")
    both = convert(high, uint64) << 32 | convert(low, uint64)
    result = None
    for place in range(4):
        which = convert((choice >> (4 * place)) & 7, uint64)
        byte = convert((both >> (which * 8)) & 0xFF, uint32) << (8 * place)
        result = byte if result is None else result | byte
    return cast(result, int32, bitcast=True)


# --- products and sums ----------------------------------------------------------------------------------
@builtin
def mulhi(x: Any, y: Any) -> tensor:
    """The upper half of the product of integers of 32 or 64 bits."""
    x, y = same_integers("mulhi", _LONGS, x, y)
    op = "arith.mulsi_extended" if is_signed(x.dtype) else "arith.mului_extended"
    return emit_many(op, [x, y], [x.type, x.type])[1]


@builtin
def mul24(x: Any, y: Any) -> tensor:
    """The product of the lower 24 bits of integers of 32 bits."""
    x, y = same_integers("mul24", _WORDS, x, y)
    return ((x << 8) >> 8) * ((y << 8) >> 8)


@builtin
def sad(x: Any, y: Any, z: Any) -> tensor:
    """``z + |x - y|``."""
    x, y = same_integers("sad", _WORDS, x, y)
    z = integer("sad", z, *_WORDS)
    difference = where(x > y, x - y, y - x)
    return convert(convert(z, uint32) + convert(difference, uint32), x.dtype)


def _half_sum(name: str, x: Any, y: Any, rest: int) -> tensor:
    """(x + y + rest) / 2 rounded down, without overflow."""
    x, y = same_integers(name, _WORDS, x, y)
    wide: dtype = int64 if is_signed(x.dtype) else uint64
    return convert((convert(x, wide) + convert(y, wide) + rest) >> 1, x.dtype)


@builtin
def hadd(x: Any, y: Any) -> tensor:
    """``(x + y) / 2`` rounded down, without overflow."""
    return _half_sum("hadd", x, y, 0)


@builtin
def rhadd(x: Any, y: Any) -> tensor:
    """``(x + y + 1) / 2`` rounded down, without overflow."""
    return _half_sum("rhadd", x, y, 1)


# --- bits of floats -----------------------------------------------------------------------------------------
def _reinterpret(name: str, source: tuple[dtype, ...], to: dtype) -> Any:
    def function(x: Any) -> tensor:
        (value,) = floats(name, x) if source[0].is_floating() else (integer(name, x, *source),)
        return cast(convert(value, source[0]) if source[0].is_floating() else value, to, bitcast=True)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The bits of {source[0]} as {to}."
    return builtin(function)


float_as_int = _reinterpret("float_as_int", (float32,), int32)
float_as_uint = _reinterpret("float_as_uint", (float32,), int32)
int_as_float = _reinterpret("int_as_float", _WORDS, float32)
uint_as_float = _reinterpret("uint_as_float", _WORDS, float32)
double_as_longlong = _reinterpret("double_as_longlong", (float64,), int64)
longlong_as_double = _reinterpret("longlong_as_double", (int64, uint64), float64)


def _double(name: str, x: Any) -> tensor:
    (value,) = floats(name, x)
    return cast(convert(value, float64), uint64, bitcast=True)


@builtin
def double2hiint(x: Any) -> tensor:
    """The upper 32 bits of an fp64, an int32."""
    return convert(_double("double2hiint", x) >> 32, int32)


@builtin
def double2loint(x: Any) -> tensor:
    """The lower 32 bits of an fp64, an int32."""
    return convert(_double("double2loint", x), int32)


@builtin
def hiloint2double(x: Any, y: Any) -> tensor:
    """The fp64 of upper and lower 32 bits."""
    high, low = broadcast_together([convert(integer("hiloint2double", value, *_WORDS), uint32) for value in (x, y)],
                                   "hiloint2double")
    return cast(convert(high, uint64) << 32 | convert(low, uint64), float64, bitcast=True)


@builtin
def rcp64h(x: Any) -> tensor:
    """One over an fp64, of which only the upper 32 bits are exact."""
    (value,) = floats("rcp64h", x)
    with unfused():
        code = cast(1.0 / convert(value, float64), uint64, bitcast=True)
    return cast(code & 0xFFFFFFFF00000000, float64, bitcast=True)


FUNCTIONS = [
    brev, byte_perm, clz, double2hiint, double2loint, double_as_longlong, ffs, float_as_int, float_as_uint, hadd,
    hiloint2double, int_as_float, longlong_as_double, mul24, mulhi, popc, rcp64h, rhadd, sad, uint_as_float,
]
