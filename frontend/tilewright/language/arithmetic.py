"""Operators: arithmetic, comparisons, logic and pointer offsets."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..ast.builder import current
from ..ast.emit import emit
from ..ast.values import is_number, tensor
from ..errors import TileTypeError
from . import types as t
from .conversion import (
    broadcast_into,
    broadcast_shape,
    broadcast_together,
    cast,
    constant_like,
    convert,
    describe_value,
    is_signed,
    is_zero_compare,
    number_as,
    to_tensor,
)
from .promotion import result_type, result_with_number
from .registry import builtin, method
from .types import describe, dtype, like


# --- bringing operands together -------------------------------------------------------------------
def promote(x: Any, y: Any, symbol: str, division: bool = False) -> tuple[tensor, tensor]:
    """Two operands, at least one a value of the program, as values of their common type."""
    for operand in (x, y):
        if not isinstance(operand, tensor) and not is_number(operand):
            raise TileTypeError(f"unsupported operand of '{symbol}': {describe_value(operand)}")
    if isinstance(x, tensor) and isinstance(y, tensor):
        type = result_type(x.dtype, y.dtype, division)
        if type is None:
            raise TileTypeError(f"'{symbol}' does not take {describe(x.type)} and {describe(y.type)}",
                                "convert one of them first: x.to(tl.float32)")
        return convert(x, type), convert(y, type)
    value, number = (x, y) if isinstance(x, tensor) else (y, x)
    if value.dtype.is_ptr():
        raise TileTypeError(f"'{symbol}' does not take {describe(value.type)} and the number {number}")
    type = result_with_number(value.dtype, number, division)
    if type is None:
        raise TileTypeError(f"'{symbol}' does not take {describe(value.type)} and the number {number}",
                            "convert the value first: x.to(tl.float32)")
    converted, other = convert(value, type), number_as(number, type)
    return (converted, other) if isinstance(x, tensor) else (other, converted)


def align(x: tensor, y: tensor, symbol: str) -> tuple[tensor, tensor]:
    """Two operands of one type with their shapes made equal."""
    if x.shape == y.shape:
        return x, y
    shape = broadcast_shape(x.shape, y.shape)
    if shape is None:
        raise TileTypeError(f"'{symbol}': shapes do not match: {describe(x.type)} and {describe(y.type)}",
                            "sizes must be equal or 1; x[:, None] and x[None, :] add dimensions of size 1")
    return broadcast_into(x, shape), broadcast_into(y, shape)


def _constants(x: Any, y: Any) -> bool:
    """Whether both operands are integers that are known while compiling."""
    return all(operand.constant is not None and operand.type.is_int() and not operand.type.is_bool()
               for operand in (x, y))


def _wrap(value: int, type: dtype) -> tensor:
    low, high = type.range
    return tensor(None, type, (value - low) % (high - low + 1) + low)


# --- fast-math flags --------------------------------------------------------------------------------
def contractible() -> dict[str, Any] | None:
    """The flag of a sum or product that may become part of a fused operation."""
    builder = current()
    if not builder.options.fp_fusion:
        return None
    return {"fastmath": builder.session.attribute("#arith.fastmath<contract>")}


# --- arithmetic ---------------------------------------------------------------------------------------
def _require_numbers(x: tensor, symbol: str) -> None:
    if x.dtype.is_ptr():
        raise TileTypeError(f"'{symbol}' does not take pointers, got {describe(x.type)}",
                            "an integer is added to a pointer, or subtracted from one")


def _arithmetic(x: Any, y: Any, symbol: str, float_op: str, int_op: str, fold: Callable[[int, int], int]) -> tensor:
    x, y = promote(x, y, symbol)
    _require_numbers(x, symbol)
    if _constants(x, y):
        return _wrap(fold(x.constant, y.constant), x.type)
    if x.dtype.is_fp8():
        wide = _arithmetic(convert(x, t.float32), convert(y, t.float32), symbol, float_op, int_op, fold)
        return convert(wide, x.dtype)
    x, y = align(x, y, symbol)
    if x.dtype.is_floating():
        return emit(float_op, [x, y], x.type, contractible())
    return emit(int_op, [x, y], x.type)


def _is_pointer(x: Any) -> bool:
    return isinstance(x, tensor) and x.dtype.is_ptr()


def advance(pointer: tensor, offset: Any, symbol: str) -> tensor:
    """`pointer + offset`, counted in elements."""
    if _is_pointer(offset):
        raise TileTypeError(f"'{symbol}' does not take two pointers",
                            "to subtract addresses, convert both: p.to(tl.int64)")
    offset = to_tensor(offset)
    if not offset.dtype.is_int():
        raise TileTypeError(f"the offset of a pointer must be an integer, got {describe(offset.type)}")
    if not is_signed(offset.dtype) and offset.dtype.primitive_bitwidth < 64:
        offset = convert(offset, t.int64)
    pointer, offset = align(pointer, offset, symbol)
    return emit("tile.addptr", [pointer, offset], pointer.type)


def add(x: Any, y: Any) -> tensor:
    """``x + y``; an integer added to a pointer counts elements."""
    if _is_pointer(x):
        return advance(x, y, "+")
    if _is_pointer(y):
        return advance(y, x, "+")
    return _arithmetic(x, y, "+", "arith.addf", "arith.addi", operator.add)


def sub(x: Any, y: Any) -> tensor:
    """``x - y``; an integer subtracted from a pointer counts elements."""
    if _is_pointer(x):
        if _is_pointer(y):
            return advance(x, y, "-")
        offset = to_tensor(y)
        # An unsigned offset is widened first: negated in its own type it would wrap.
        return advance(x, neg(offset if is_signed(offset.dtype) else convert(offset, t.int64)), "-")
    return _arithmetic(x, y, "-", "arith.subf", "arith.subi", operator.sub)


def mul(x: Any, y: Any) -> tensor:
    """``x * y``."""
    return _arithmetic(x, y, "*", "arith.mulf", "arith.muli", operator.mul)


def change_sign(x: tensor, op: str, mask: int) -> tensor:
    """An 8-bit float with the sign of its code changed, by `op` with `mask`."""
    code = cast(x, t.uint8, bitcast=True)
    changed = emit(op, [code, constant_like(code.type, mask)], code.type)
    if x.dtype in (t.float8e5b16, t.float8e4b8):  # of magnitude 0 they have NaN in place of a negative
        rest = emit("arith.andi", [code, constant_like(code.type, 0x7F)], code.type)
        changed = where(compare("==", rest, 0), code, changed)
    return cast(changed, x.dtype, bitcast=True)


@builtin
def neg(x: Any) -> tensor:
    """``-x``."""
    x = to_tensor(x)
    _require_numbers(x, "-")
    if x.constant is not None and not x.dtype.is_bool():
        return _wrap(-x.constant, x.type) if x.dtype.is_int() else tensor(None, x.type, -x.constant)
    if x.dtype.is_fp8():
        return change_sign(x, "arith.xori", 0x80)
    if x.dtype.is_floating():
        return emit("arith.negf", [x], x.type)
    return emit("arith.subi", [constant_like(x.type, 0), x], x.type)


@builtin
def truediv(x: Any, y: Any) -> tensor:
    """``x / y``; integers and narrow floats give fp32. Approximate where the target has a faster form."""
    x, y = _division_operands(x, y, "/")
    if x.dtype.is_int():
        x, y = convert(x, t.float32), convert(y, t.float32)
    x, y = align(x, y, "/")
    attributes = {"fastmath": current().session.attribute("#arith.fastmath<afn>")} if x.dtype is t.float32 else None
    return emit("arith.divf", [x, y], x.type, attributes)


def _division_operands(x: Any, y: Any, symbol: str) -> tuple[tensor, tensor]:
    if isinstance(x, tensor) and isinstance(y, tensor):
        integers = [operand.dtype for operand in (x, y) if operand.dtype.is_int() and not operand.dtype.is_bool()]
        if len(integers) == 2 and is_signed(integers[0]) != is_signed(integers[1]):
            raise TileTypeError(f"'{symbol}' does not take operands of different signedness: "
                                f"{describe(x.type)} and {describe(y.type)}",
                                "convert one of them first: x.to(y.dtype)")
    x, y = promote(x, y, symbol, division=True)
    _require_numbers(x, symbol)
    return x, y


def _truncated_quotient(x: int, y: int, type: dtype) -> int:
    low = type.range[0]
    if y == 0:
        return x
    if x == low and y == -1:
        return low
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


@builtin
def floordiv(x: Any, y: Any) -> tensor:
    """``x // y`` of integers; the quotient is truncated, and ``x // 0`` is ``x``."""
    x, y = _division_operands(x, y, "//")
    if not x.dtype.is_int():
        raise TileTypeError(f"'//' takes integers, got {x.dtype}", "for floats write tl.floor(x / y)")
    if _constants(x, y):
        return _wrap(_truncated_quotient(x.constant, y.constant, x.type), x.type)
    x, y = align(x, y, "//")
    return emit("arith.divsi" if is_signed(x.dtype) else "arith.divui", [x, y], x.type)


@builtin
def mod(x: Any, y: Any) -> tensor:
    """``x % y`` with the sign of ``x``; integer ``x % 0`` is 0."""
    x, y = _division_operands(x, y, "%")
    if _constants(x, y):
        quotient = _truncated_quotient(x.constant, y.constant, x.type)
        return _wrap(0 if y.constant == 0 else x.constant - quotient * y.constant, x.type)
    x, y = align(x, y, "%")
    if x.dtype.is_floating():
        return emit("arith.remf", [x, y], x.type)
    return emit("arith.remsi" if is_signed(x.dtype) else "arith.remui", [x, y], x.type)


# --- bits -----------------------------------------------------------------------------------------------
def _bitwise(x: Any, y: Any, symbol: str, op: str, fold: Callable[[int, int], int]) -> tensor:
    x, y = promote(x, y, symbol)
    if not x.dtype.is_int():
        raise TileTypeError(f"'{symbol}' takes integers, got {x.dtype}")
    if _constants(x, y):
        return _wrap(fold(x.constant, y.constant), x.type)
    x, y = align(x, y, symbol)
    return emit(op, [x, y], x.type)


@builtin
def and_(x: Any, y: Any) -> tensor:
    """``x & y``."""
    return _bitwise(x, y, "&", "arith.andi", operator.and_)


@builtin
def or_(x: Any, y: Any) -> tensor:
    """``x | y``."""
    return _bitwise(x, y, "|", "arith.ori", operator.or_)


@builtin
def xor(x: Any, y: Any) -> tensor:
    """``x ^ y``."""
    return _bitwise(x, y, "^", "arith.xori", operator.xor)


def _shift(x: Any, y: Any, symbol: str) -> tensor:
    type = promote(x, y, symbol)[0].dtype
    bits = type.primitive_bitwidth
    if symbol == "<<":
        return _bitwise(x, y, symbol, "arith.shli", lambda value, amount: value << amount % bits)
    # The sign is that of the operand as it was, also where the other one makes the result unsigned.
    signed = is_signed((x if isinstance(x, tensor) else y).dtype)
    low, high = type.range

    def fold(value: int, amount: int) -> int:
        if signed and value > high // 2 and low == 0:
            value -= high + 1
        return value >> amount % bits

    return _bitwise(x, y, symbol, "arith.shrsi" if signed else "arith.shrui", fold)


@builtin
def shl(x: Any, y: Any) -> tensor:
    """``x << y``; the amount counts modulo the width."""
    return _shift(x, y, "<<")


@builtin
def shr(x: Any, y: Any) -> tensor:
    """``x >> y``, of signed integers with their sign; the amount counts modulo the width."""
    return _shift(x, y, ">>")


@builtin
def invert(x: Any) -> tensor:
    """``~x``."""
    x = to_tensor(x)
    if not x.dtype.is_int():
        raise TileTypeError(f"'~' takes integers, got {x.dtype}")
    return emit("arith.xori", [x, constant_like(x.type, True if x.dtype.is_bool() else -1)], x.type)


# --- comparisons --------------------------------------------------------------------------------------------
# symbol: predicates of arith.cmpf (unordered for !=), and of arith.cmpi for signed and unsigned
PREDICATES: dict[str, tuple[int, int, int, Callable[[Any, Any], bool]]] = {
    "==": (1, 0, 0, operator.eq), "!=": (13, 1, 1, operator.ne), "<": (4, 2, 6, operator.lt),
    "<=": (5, 3, 7, operator.le), ">": (2, 4, 8, operator.gt), ">=": (3, 5, 9, operator.ge),
}


def compare(symbol: str, x: Any, y: Any) -> tensor:
    """A comparison; with NaN only ``!=`` holds."""
    float_predicate, signed, unsigned, fold = PREDICATES[symbol]
    if _is_pointer(x) and _is_pointer(y):
        x, y = (emit("tile.ptr_to_int", [p], like(p.type, t.uint64)) for p in (x, y))
    x, y = promote(x, y, symbol)
    if _constants(x, y):
        return tensor(None, t.int1, fold(x.constant, y.constant))
    if x.dtype.is_fp8():
        x, y = convert(x, t.float32), convert(y, t.float32)
    x, y = align(x, y, symbol)
    session = current().session
    if x.dtype.is_floating():
        return emit("arith.cmpf", [x, y], like(x.type, t.int1), {"predicate": session.integer(float_predicate, 64)})
    predicate = signed if is_signed(x.dtype) else unsigned
    return emit("arith.cmpi", [x, y], like(x.type, t.int1), {"predicate": session.integer(predicate, 64)})


# --- logic ------------------------------------------------------------------------------------------------------
def truth(x: Any) -> tensor:
    """A value as booleans."""
    x = to_tensor(x)
    if x.constant is not None:
        return tensor(None, t.int1, bool(x.constant))
    return x if x.dtype.is_bool() else convert(x, t.int1) if x.dtype.is_ptr() else is_zero_compare(
        convert(x, t.float32) if x.dtype.is_fp8() else x)


def _logical(x: Any, y: Any, name: str, op: str) -> tensor:
    x, y = align(truth(x), truth(y), name)
    return emit(op, [x, y], x.type)


@method
def logical_and(x: Any, y: Any) -> tensor:
    """Whether both are true."""
    return _logical(x, y, "and", "arith.andi")


@method
def logical_or(x: Any, y: Any) -> tensor:
    """Whether either is true."""
    return _logical(x, y, "or", "arith.ori")


@builtin
def not_(x: Any) -> tensor:
    """Whether a value is false."""
    x = truth(x)
    if x.constant is not None:
        return tensor(None, t.int1, not x.constant)
    return invert(x)


@builtin
def where(condition: Any, x: Any, y: Any) -> tensor:
    """``x`` where the condition holds, else ``y``; both are computed."""
    condition = to_tensor(condition)
    if not condition.dtype.is_bool():
        condition = truth(condition)
    if isinstance(x, tensor) or isinstance(y, tensor):
        if _is_pointer(x) and _is_pointer(y):
            if x.dtype is not y.dtype:
                raise TileTypeError(f"where: pointers to different types: {describe(x.type)} and {describe(y.type)}")
        else:
            x, y = promote(x, y, "where")
    else:
        x, y = promote(to_tensor(x), to_tensor(y), "where")
    if condition.type.is_block() or not x.type.is_block():
        condition, x, y = broadcast_together([condition, x, y], "where")
    else:  # a scalar condition chooses whole blocks
        x, y = broadcast_together([x, y], "where")
    return emit("arith.select", [condition, x, y], x.type)


# --- operators of values --------------------------------------------------------------------------------------------
BINARY: dict[str, Callable[[Any, Any], tensor]] = {
    "add": add, "sub": sub, "mul": mul, "truediv": truediv, "floordiv": floordiv, "mod": mod,
    "and": and_, "or": or_, "xor": xor, "lshift": shl, "rshift": shr,
}


def _install_operators() -> None:
    """Operators of `tensor`, for the functions of this package that compute with values."""
    for name, function in BINARY.items():
        setattr(tensor, f"__{name}__", function)
        setattr(tensor, f"__r{name}__", lambda self, other, function=function: function(other, self))
    for symbol, name in (("==", "eq"), ("!=", "ne"), ("<", "lt"), ("<=", "le"), (">", "gt"), (">=", "ge")):
        setattr(tensor, f"__{name}__", lambda self, other, symbol=symbol: compare(symbol, self, other))
    tensor.__neg__ = neg  # type: ignore[attr-defined]
    tensor.__invert__ = invert  # type: ignore[attr-defined]


_install_operators()
