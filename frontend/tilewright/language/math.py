"""Mathematical functions by element."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from ..ast.builder import current
from ..ast.emit import emit, emit_many
from ..ast.values import tensor
from ..errors import TileTypeError
from . import types as t
from .arithmetic import align, change_sign, compare, logical_or, promote, truediv, where
from .conversion import broadcast_together, convert, describe_value, is_signed, static, to_tensor
from .promotion import result_type
from .registry import builtin, method


class PropagateNan(IntEnum):
    """What minimum and maximum do with NaN."""

    NONE = 0
    """The other operand wins."""
    ALL = 0xFFFF
    """NaN wins."""


def _float_operand(x: Any, what: str) -> tensor:
    x = to_tensor(x)
    if not x.dtype.is_floating():
        raise TileTypeError(f"{what}: expects floats, got {describe_value(x)}",
                            "convert first: x.to(tl.float32)")
    return x


def widely(x: tensor, compute: Callable[[tensor], tensor]) -> tensor:
    """A function of floats, computed in fp32 where they are narrower."""
    if x.dtype.primitive_bitwidth >= 32:
        return compute(x)
    return convert(compute(convert(x, t.float32)), x.dtype)


def _approximate() -> dict[str, Any]:
    return {"fastmath": current().session.attribute("#arith.fastmath<afn>")}


def _unary(name: str, op: str, summary: str, approximate: bool = False) -> Callable[[Any], tensor]:
    def function(x: tensor) -> tensor:
        operand = _float_operand(x, name)
        # An approximation is allowed where the target has one for fp32.
        return widely(operand, lambda wide: emit(op, [wide], wide.type, _approximate()
                                                 if approximate and wide.dtype is t.float32 else None))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{summary}; narrow floats are computed in fp32."
    return method(function)


exp = _unary("exp", "math.exp", "The exponential function")
exp2 = _unary("exp2", "math.exp2", "Two to the power of x")
log = _unary("log", "math.log", "The natural logarithm")
log2 = _unary("log2", "math.log2", "The logarithm to base two")
sin = _unary("sin", "math.sin", "The sine")
cos = _unary("cos", "math.cos", "The cosine")
sqrt = _unary("sqrt", "math.sqrt", "The square root, approximate where the target has a faster form", True)
rsqrt = _unary("rsqrt", "math.rsqrt", "One over the square root")
erf = _unary("erf", "math.erf", "The error function")
floor = _unary("floor", "math.floor", "The largest integer that is not greater")
ceil = _unary("ceil", "math.ceil", "The smallest integer that is not smaller")
sqrt_rn = _unary("sqrt_rn", "math.sqrt", "The square root, correctly rounded")


@method
def abs(x: Any) -> tensor:
    """The absolute value; of the smallest signed integer, itself."""
    x = to_tensor(x)
    if x.dtype.is_floating():
        if x.dtype.is_fp8():
            return change_sign(x, "arith.andi", 0x7F)
        return emit("math.absf", [x], x.type)
    if not x.dtype.is_int():
        raise TileTypeError(f"abs: expects numbers, got {describe_value(x)}")
    return emit("math.absi", [x], x.type) if is_signed(x.dtype) else x


@builtin
def fma(x: Any, y: Any, z: Any) -> tensor:
    """``x * y + z`` with one rounding."""
    operands = [_float_operand(each, "fma") for each in (x, y, z)]
    type = operands[0].dtype
    for operand in operands[1:]:
        type = result_type(type, operand.dtype) or type
    x, y, z = broadcast_together([convert(operand, type) for operand in operands], "fma")
    return emit("math.fma", [x, y, z], x.type)


@builtin
def fdiv(x: Any, y: Any, ieee_rounding: bool = False, approx: bool = False) -> tensor:
    """Divide floats; correctly rounded with ``ieee_rounding``, else as ``/``, which is approximate already."""
    if static(approx, "fdiv: approx") and static(ieee_rounding, "fdiv: ieee_rounding"):
        raise TileTypeError("fdiv: a result is either approximate or correctly rounded",
                            "give one of ieee_rounding and approx")
    for each in (x, y):
        if isinstance(each, tensor):
            _float_operand(each, "fdiv")
    if static(ieee_rounding, "fdiv: ieee_rounding"):
        return _exact_quotient(x, y)
    narrow = promote(x, y, "fdiv")[0].dtype
    return convert(truediv(x, y), narrow)


def _exact_quotient(x: Any, y: Any) -> tensor:
    x, y = promote(x, y, "/")
    x, y = align(x, y, "/")
    if x.dtype.primitive_bitwidth < 32:
        return convert(_exact_quotient(convert(x, t.float32), convert(y, t.float32)), x.dtype)
    return emit("arith.divf", [x, y], x.type)


@builtin
def div_rn(x: Any, y: Any) -> tensor:
    """Divide fp32 with correct rounding."""
    x, y = promote(to_tensor(x), y, "/")
    if not x.dtype.is_floating():
        raise TileTypeError(f"div_rn: expects floats, got {describe_value(x)}")
    return _exact_quotient(x, y)


@builtin
def umulhi(x: Any, y: Any) -> tensor:
    """The upper half of the product of unsigned integers of 32 or 64 bits."""
    x, y = promote(to_tensor(x), y, "umulhi")
    if not x.dtype.is_int() or x.dtype.primitive_bitwidth not in (32, 64):
        raise TileTypeError(f"umulhi: expects integers of 32 or 64 bits, got {describe_value(x)}")
    x, y = align(x, y, "umulhi")
    return emit_many("arith.mului_extended", [x, y], [x.type, x.type])[1]


def _comparable(x: Any) -> tensor:
    """A number with a type of its own; bf16 is compared, and stays, in fp32."""
    x = to_tensor(x)
    return convert(x, t.float32) if x.dtype is t.bfloat16 else x


def _extremum(name: str, float_op: str, nan_op: str, int_op: str, x: Any, y: Any, propagate_nan: Any) -> tensor:
    x, y = promote(_comparable(x), _comparable(y), name)
    if x.constant is not None and y.constant is not None and x.dtype.is_int() and not x.dtype.is_bool():
        smaller = name == "minimum"
        return x if (x.constant <= y.constant) is smaller else y
    x, y = align(x, y, name)
    if x.dtype.is_fp8():
        return _extremum_of_bytes("<=" if name == "minimum" else ">=", x, y, wants_nan(propagate_nan, name))
    if x.dtype.is_floating():
        return emit(nan_op if wants_nan(propagate_nan, name) else float_op, [x, y], x.type)
    if not x.dtype.is_int():
        raise TileTypeError(f"{name}: expects numbers, got {describe_value(x)}")
    return emit(int_op + ("si" if is_signed(x.dtype) else "ui"), [x, y], x.type)


def _extremum_of_bytes(symbol: str, x: tensor, y: tensor, nan_wins: bool) -> tensor:
    """Of two 8-bit floats one or the other, so that infinities, which conversions saturate, are kept."""
    wide_x, wide_y = convert(x, t.float32), convert(y, t.float32)
    nan = wide_x if nan_wins else wide_y
    return where(logical_or(compare(symbol, wide_x, wide_y), compare("!=", nan, nan)), x, y)


def wants_nan(propagate_nan: Any, what: str) -> bool:
    """Whether NaN wins."""
    propagate_nan = static(propagate_nan, f"{what}: propagate_nan")
    if not isinstance(propagate_nan, PropagateNan):
        raise TileTypeError(f"{what}: propagate_nan must be tl.PropagateNan.NONE or tl.PropagateNan.ALL, "
                            f"got {propagate_nan!r}")
    return propagate_nan is PropagateNan.ALL


@builtin
def minimum(x: Any, y: Any, propagate_nan: PropagateNan = PropagateNan.NONE) -> tensor:
    """The smaller of two; where one is NaN the other, or NaN with ``tl.PropagateNan.ALL``."""
    return _extremum("minimum", "arith.minnumf", "arith.minimumf", "arith.min", x, y, propagate_nan)


@builtin
def maximum(x: Any, y: Any, propagate_nan: PropagateNan = PropagateNan.NONE) -> tensor:
    """The larger of two; where one is NaN the other, or NaN with ``tl.PropagateNan.ALL``."""
    return _extremum("maximum", "arith.maxnumf", "arith.maximumf", "arith.max", x, y, propagate_nan)


@builtin
def clamp(x: Any, min: Any, max: Any, propagate_nan: PropagateNan = PropagateNan.NONE) -> tensor:
    """``x`` kept between ``min`` and ``max``; where it is NaN ``min``, or NaN with ``tl.PropagateNan.ALL``."""
    x = to_tensor(x)
    result = minimum(maximum(x, min), max)
    if not wants_nan(propagate_nan, "clamp") or not x.dtype.is_floating():
        return result
    return where(compare("!=", x, x), convert(x, result.dtype), result)
