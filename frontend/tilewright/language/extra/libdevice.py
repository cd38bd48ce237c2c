"""Mathematical functions under libdevice's names, computed by Tilewright itself on every target.

fp16 and bf16 are computed in fp32. `pow` is for fp32.
"""

from __future__ import annotations

import math
from typing import Any

from ...ast.emit import emit
from ...ast.values import tensor
from ...errors import TileTypeError
from ..arithmetic import add, align, compare, mod, promote
from ..conversion import constant_like, convert, describe_value, to_tensor
from ..math import abs, ceil, cos, div_rn, erf, exp, exp2, floor, fma, log, log2, rsqrt, sin, sqrt, sqrt_rn, widely
from ..registry import builtin
from ..types import int32


def _floats(name: str, *operands: Any) -> list[tensor]:
    """Operands of one float type and shape."""
    values = [to_tensor(operand) for operand in operands]
    for value in values:
        if not value.dtype.is_floating():
            raise TileTypeError(f"{name}: expects floats, got {describe_value(value)}",
                                "convert first: x.to(tl.float32)")
    if len(values) == 2:
        return list(align(*promote(*values, name), name))
    return values


def _unary(name: str, op: str, summary: str) -> Any:
    def function(x: Any) -> tensor:
        (value,) = _floats(name, x)
        return widely(value, lambda wide: emit(op, [wide], wide.type))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{summary}."
    return builtin(function)


def _binary(name: str, op: str, summary: str) -> Any:
    def function(x: Any, y: Any) -> tensor:
        first, second = _floats(name, x, y)
        return widely(first, lambda wide: emit(op, [wide, convert(second, wide.dtype)], wide.type))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{summary}."
    return builtin(function)


acos = _unary("acos", "math.acos", "The inverse of the cosine")
acosh = _unary("acosh", "math.acosh", "The inverse of the hyperbolic cosine")
asin = _unary("asin", "math.asin", "The inverse of the sine")
asinh = _unary("asinh", "math.asinh", "The inverse of the hyperbolic sine")
atan = _unary("atan", "math.atan", "The inverse of the tangent")
atanh = _unary("atanh", "math.atanh", "The inverse of the hyperbolic tangent")
cbrt = _unary("cbrt", "math.cbrt", "The cube root")
cosh = _unary("cosh", "math.cosh", "The hyperbolic cosine")
erfc = _unary("erfc", "math.erfc", "One minus the error function")
expm1 = _unary("expm1", "math.expm1", "The exponential function minus one")
log10 = _unary("log10", "math.log10", "The logarithm to base ten")
log1p = _unary("log1p", "math.log1p", "The natural logarithm of one plus x")
sinh = _unary("sinh", "math.sinh", "The hyperbolic sine")
tan = _unary("tan", "math.tan", "The tangent")
tanh = _unary("tanh", "math.tanh", "The hyperbolic tangent")
trunc = _unary("trunc", "math.trunc", "The nearest integer towards zero")
round = _unary("round", "math.round", "The nearest integer; halves away from zero")
rint = _unary("rint", "math.roundeven", "The nearest integer; halves to the even one")
nearbyint = _unary("nearbyint", "math.roundeven", "The nearest integer; halves to the even one")
atan2 = _binary("atan2", "math.atan2", "The angle of the point (y, x), of which y is the first argument")
copysign = _binary("copysign", "math.copysign", "The magnitude of the first with the sign of the second")
pow = _binary("pow", "math.powf", "The first to the power of the second")

@builtin
def isnan(x: Any) -> tensor:
    """Whether a float is NaN."""
    (value,) = _floats("isnan", x)
    return compare("!=", value, value)


@builtin
def isinf(x: Any) -> tensor:
    """Whether a float is an infinity."""
    (value,) = _floats("isinf", x)
    return compare("==", abs(value), math.inf)


@builtin
def finitef(x: Any) -> tensor:
    """Whether a float is neither NaN nor an infinity."""
    (value,) = _floats("finitef", x)
    return compare("<", abs(value), math.inf)


@builtin
def isfinited(x: Any) -> tensor:
    """Whether a float is neither NaN nor an infinity."""
    return finitef(x)


@builtin
def fmod(x: Any, y: Any) -> tensor:
    """The remainder of a division that rounds towards zero."""
    first, second = _floats("fmod", x, y)
    return widely(first, lambda wide: mod(wide, convert(second, wide.dtype)))


def _integer(name: str, x: Any) -> tensor:
    value = to_tensor(x)
    if not value.dtype.is_int() or value.dtype.primitive_bitwidth not in (32, 64):
        raise TileTypeError(f"{name}: expects integers of 32 or 64 bits, got {describe_value(value)}")
    return value


@builtin
def clz(x: Any) -> tensor:
    """The number of zero bits before the first one, an int32."""
    value = _integer("clz", x)
    return convert(emit("math.ctlz", [value], value.type), int32)


@builtin
def popc(x: Any) -> tensor:
    """The number of one bits, an int32."""
    value = _integer("popc", x)
    return convert(emit("math.ctpop", [value], value.type), int32)


@builtin
def ffs(x: Any) -> tensor:
    """The position of the lowest one bit, counted from 1, an int32; 0 of 0."""
    value = _integer("ffs", x)
    place = add(convert(emit("math.cttz", [value], value.type), int32), 1)
    none = compare("==", value, constant_like(value.type, 0))
    return emit("arith.select", [none, constant_like(place.type, 0), place], place.type)


__all__ = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "clz", "copysign", "cos", "cosh",
    "div_rn", "erf", "erfc", "exp", "exp2", "expm1", "ffs", "finitef", "floor", "fma", "fmod", "isfinited", "isinf",
    "isnan", "log", "log10", "log1p", "log2", "nearbyint", "popc", "pow", "rint", "round", "rsqrt", "sin", "sinh",
    "sqrt", "sqrt_rn", "tan", "tanh", "trunc",
]
