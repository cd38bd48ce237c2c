"""From type to type and from shape to shape: what all operations need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ast.builder import current
from ..ast.emit import emit
from ..ast.values import Aggregate, is_number, tensor
from ..errors import TileTypeError
from . import e4b15
from . import types as t
from .registry import builtin, method
from .types import block_type, describe, dtype, like, type_of_number

ROUNDINGS = ("rtne", "rtz")


# --- constants ------------------------------------------------------------------------------------
def static(value: Any, what: str) -> Any:
    """The compile-time constant that a value is; an error where it is none."""
    if isinstance(value, tensor):
        if value.constant is None:
            raise TileTypeError(f"{what} must be known while compiling, got {describe(value.type)}",
                                "pass it as a tl.constexpr parameter")
        return value.constant
    return value


def require_dtype(dtype: Any, what: str) -> dtype:
    """The type that an argument is."""
    if isinstance(dtype, str):
        dtype = t.parse_type(dtype) or dtype
    if not isinstance(dtype, t.dtype):
        raise TileTypeError(f"{what}: expects a type such as tl.float32, got {describe_value(dtype)}")
    current().options.require_available(dtype)
    return dtype


def static_int(value: Any, what: str) -> int:
    """The compile-time integer that a value is."""
    value = static(value, what)
    if not isinstance(value, int) or isinstance(value, bool):
        raise TileTypeError(f"{what} must be an integer, got {value!r}")
    return value


def static_shape(shape: Any, what: str) -> tuple[int, ...]:
    """A shape written as an integer, a sequence, or one sequence in a sequence."""
    if isinstance(shape, (tuple, list)):
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = shape[0]
        sizes = tuple(static_int(size, f"{what}: a size") for size in shape)
    else:
        sizes = (static_int(shape, f"{what}: a size"),)
    for size in sizes:
        if size < 1:
            raise TileTypeError(f"{what}: sizes must be positive, got {size}")
    return sizes


def static_axis(axis: Any, rank: int, what: str) -> int:
    """An axis counted from either end."""
    axis = static_int(axis, f"{what}: axis")
    if not -rank <= axis < rank:
        raise TileTypeError(f"{what}: axis {axis} is out of range for {rank} dimension{'s' if rank != 1 else ''}")
    return axis % rank


@builtin
def to_tensor(x: Any) -> tensor:
    """A Python number as a scalar value."""
    if isinstance(x, tensor):
        return x
    if not is_number(x):
        raise TileTypeError(f"expects a number or a value of the program, got {describe_value(x)}")
    return tensor(None, type_of_number(x), x)


def describe_value(value: Any) -> str:
    """A value in a user's words, for messages."""
    if isinstance(value, tensor):
        return describe(value.type)
    if isinstance(value, Aggregate):
        return f"an instance of {type(value).__name__}"
    if hasattr(value, "__tile_describe__"):
        return value.__tile_describe__()
    if isinstance(value, tuple):
        return f"a tuple of {len(value)} values"
    if callable(value) and hasattr(value, "__name__"):
        return f"the function '{value.__name__}'"
    return f"{value!r}"


def constant_like(type: dtype, value: Any) -> tensor:
    """A number as a constant of a type, a whole block where the type is one."""
    if type.is_fp8() or (type.is_block() and type.scalar.is_fp8()):
        return cast(tensor(None, like(type, t.float32), float(value)), type.scalar)
    return tensor(current().constant(type, value), type, None if type.is_block() else value)


def float_of(value: Any, type: dtype) -> float:
    """A Python number as a float, for a type."""
    try:
        return float(value)
    except OverflowError:
        raise TileTypeError(f"an integer of {value.bit_length()} bits is larger than all of type {type}") from None


def number_as(value: Any, type: dtype) -> tensor:
    """A Python number as a scalar of a type, checked against its range."""
    if type.is_int() and not type.is_bool():
        low, high = type.range
        if not low <= value <= high:
            raise TileTypeError(f"{value} is out of range for {type}, which holds {low} to {high}",
                                f"convert the other operand first: x.to(tl.{type_of_number(value)})")
    if type.is_floating():
        value = float_of(value, type)
    elif type.is_bool():
        value = bool(value)
    if type.is_fp8():
        return constant_like(type, value)
    return tensor(None, type, value)


# --- shapes ---------------------------------------------------------------------------------------
def splat(x: tensor, shape: Sequence[int]) -> tensor:
    """A block of one scalar."""
    type = block_type(x.type, shape)
    if x.constant is not None and not x.type.is_fp8():
        return tensor(current().constant(type, x.constant), type)
    return emit("tile.splat", [x], type)


def broadcast_shape(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...] | None:
    """The common shape of two blocks; None if they have none."""
    rank = max(len(a), len(b))
    a = (1,) * (rank - len(a)) + tuple(a)
    b = (1,) * (rank - len(b)) + tuple(b)
    result = []
    for x, y in zip(a, b, strict=True):
        if x != y and x != 1 and y != 1:
            return None
        result.append(y if x == 1 else x)
    return tuple(result)


def broadcast_into(x: tensor, shape: tuple[int, ...]) -> tensor:
    """A value repeated to a shape that it is known to fit."""
    if x.shape == shape:
        return x
    if not x.type.is_block():
        return splat(x, shape)
    for _ in range(len(shape) - len(x.shape)):
        x = emit("tile.expand_dims", [x], block_type(x.dtype, (1, *x.shape)),
                 {"axis": current().session.integer(0)})
    if x.shape == shape:
        return x
    return emit("tile.broadcast", [x], block_type(x.dtype, shape))


def broadcast_together(values: Sequence[tensor], what: str) -> list[tensor]:
    """Values repeated to their common shape."""
    shape: tuple[int, ...] = ()
    for value in values:
        common = broadcast_shape(shape, value.shape)
        if common is None:
            listed = " and ".join(describe(each.type) for each in values if each.type.is_block())
            raise TileTypeError(f"{what}: shapes do not match: {listed}",
                                "sizes must be equal or 1; x[:, None] and x[None, :] add dimensions of size 1")
        shape = common
    return [broadcast_into(value, shape) for value in values]


# --- types ----------------------------------------------------------------------------------------
def is_signed(type: dtype) -> bool:
    """Whether an integer type extends by its sign; a boolean does not."""
    return type.is_int_signed() and not type.is_bool()


def _cast_op(name: str, x: tensor, type: dtype, attributes: dict[str, Any] | None = None) -> tensor:
    return emit(name, [x], like(x.type, type), attributes)


def is_zero_compare(x: tensor) -> tensor:
    """`x != 0`."""
    zero = constant_like(x.type, 0.0 if x.dtype.is_floating() else 0)
    session = current().session
    if x.dtype.is_floating():
        predicate = session.integer(_CMPF_UNE, 64)
        return emit("arith.cmpf", [x, zero], like(x.type, t.int1), {"predicate": predicate})
    return emit("arith.cmpi", [x, zero], like(x.type, t.int1), {"predicate": session.integer(_CMPI_NE, 64)})


_CMPF_UNE = 13
_CMPI_NE = 1


def _cast_float(x: tensor, to: dtype, rounding: str | None) -> tensor:
    """Between two different float types."""
    source = x.dtype
    if source is t.float8e4b15:
        return convert(e4b15.widen(x), to)
    narrowing = to.fp_mantissa_width < source.fp_mantissa_width
    if source.is_fp8() or to.is_fp8() or (rounding == "rtz" and narrowing):
        attributes = {}
        if rounding == "rtz":
            attributes["rounding"] = current().session.attribute("#tile<rounding rtz>")
        if to is t.float8e4b15:
            return e4b15.narrow(x if source.primitive_bitwidth >= 32 else convert(x, t.float32), attributes)
        return _cast_op("tile.cast", x, to, attributes)
    if source.primitive_bitwidth == to.primitive_bitwidth:  # fp16 and bf16: neither holds the other
        return _cast_op("arith.truncf", _cast_op("arith.extf", x, t.float32), to)
    return _cast_op("arith.truncf" if source.primitive_bitwidth > to.primitive_bitwidth else "arith.extf", x, to)


def _cast_int(x: tensor, to: dtype) -> tensor:
    """Between two integer types, neither the target int1."""
    have, want = x.dtype.primitive_bitwidth, to.primitive_bitwidth
    if have == want:
        return tensor(x.handle, like(x.type, to))
    if have > want:
        return _cast_op("arith.trunci", x, to)
    return _cast_op("arith.extsi" if is_signed(x.dtype) else "arith.extui", x, to)


def _cast_number(x: tensor, to: dtype, rounding: str | None) -> tensor:
    source = x.dtype
    if to.is_bool():
        return is_zero_compare(cast(x, t.float32) if source.is_fp8() else x)
    if source.is_floating() and to.is_floating():
        return _cast_float(x, to, rounding)
    if source.is_floating():
        wide = _cast_float(x, t.float32, None) if source.is_fp8() else x
        return _cast_op("arith.fptosi" if to.is_int_signed() else "arith.fptoui", wide, to)
    if to.is_floating():
        direct = t.float32 if to.is_fp8() else to
        wide = _cast_op("arith.sitofp" if is_signed(source) else "arith.uitofp", x, direct)
        return _cast_float(wide, to, rounding) if to.is_fp8() else wide
    return _cast_int(x, to)


def _cast_pointer(x: tensor, to: dtype) -> tensor:
    """From or to a pointer."""
    if x.dtype.is_ptr() and to.is_ptr():
        if x.dtype.element_ty.ir == to.element_ty.ir and not to.element_ty.is_ptr():
            return tensor(x.handle, like(x.type, to))
        return _cast_op("tile.cast_ptr", x, to)
    if x.dtype.is_ptr():
        if to.is_bool():
            return is_zero_compare(_cast_op("tile.ptr_to_int", x, t.int64))
        if not to.is_int() or to.primitive_bitwidth != 64:
            raise TileTypeError(f"cast: a pointer converts to int64, uint64 or another pointer, not to {to}")
        return tensor(_cast_op("tile.ptr_to_int", x, t.int64).handle, like(x.type, to))
    if not x.dtype.is_int() or x.dtype.primitive_bitwidth != 64:
        raise TileTypeError(f"cast: only int64 and uint64 convert to a pointer, got {describe(x.type)}")
    attributes = {"tile.read_only": current().session.unit} if to.is_const() else {}
    return _cast_op("tile.int_to_ptr", x, to, attributes)


def _bitcast(x: tensor, to: dtype) -> tensor:
    if x.dtype.primitive_bitwidth != to.primitive_bitwidth:
        raise TileTypeError(f"cast: bitcast needs equal widths, got {x.dtype} of "
                            f"{x.dtype.primitive_bitwidth} bits and {to} of {to.primitive_bitwidth}")
    if x.dtype.is_ptr() or to.is_ptr():
        return _cast_pointer(x, to)
    if x.dtype.ir == to.ir:
        return tensor(x.handle, like(x.type, to))
    return _cast_op("arith.bitcast", x, to)


def convert(x: tensor, to: dtype) -> tensor:
    """A value as another scalar type; as it is where it has that type."""
    if x.dtype is to:
        return x
    if x.constant is not None and not x.dtype.is_ptr():
        return _convert_constant(x, to)
    if x.dtype.is_ptr() or to.is_ptr():
        return _cast_pointer(x, to)
    return _cast_number(x, to, None)


def _convert_constant(x: tensor, to: dtype) -> tensor:
    """A conversion that is carried out while compiling where its result is exact or wraps."""
    value = x.constant
    assert value is not None
    if to.is_int() and not to.is_bool() and isinstance(value, int):
        low, high = to.range
        wrapped = (int(value) - low) % (high - low + 1) + low
        return tensor(None, to, wrapped)
    if (to.is_floating() and not to.is_fp8() and abs(value) < 2**to.fp_mantissa_width
            and float(value).is_integer()):
        return tensor(None, to, float(value))
    if to.is_bool():
        return tensor(None, to, bool(value))
    plain = tensor(x.handle, x.type)
    return _cast_pointer(plain, to) if to.is_ptr() else _cast_number(plain, to, None)


@method
def cast(input: tensor, dtype: dtype, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor:
    """Convert to another type.

    Floats narrow with rounding to nearest even, or towards zero with
    ``fp_downcast_rounding="rtz"``; values beyond the range of an 8-bit float become
    its largest. Floats become integers by truncation: what is out of range becomes
    the nearest integer of the type, NaN becomes 0. Integers wrap.

    Args:
        input: A value.
        dtype: The type to convert to.
        fp_downcast_rounding: ``"rtne"`` or ``"rtz"``, for narrowing floats only.
        bitcast: Keep the bits and change what they mean; widths must be equal.
    """
    to = require_dtype(dtype, "cast").scalar
    input = to_tensor(input)
    if input.dtype is to:
        return input
    if fp_downcast_rounding is not None:
        if fp_downcast_rounding not in ROUNDINGS:
            raise TileTypeError(f"cast: fp_downcast_rounding must be 'rtne' or 'rtz', got {fp_downcast_rounding!r}")
        narrowing = (input.dtype.is_floating() and to.is_floating()
                     and to.primitive_bitwidth < input.dtype.primitive_bitwidth)
        if not narrowing and to is not input.dtype:  # what has the type already is not rounded
            raise TileTypeError(f"cast: fp_downcast_rounding is for narrowing floats, got {input.dtype} to {to}")
    if bitcast:
        return _bitcast(input, to)
    if fp_downcast_rounding == "rtz":
        return _cast_float(input, to, "rtz")
    return convert(input, to)


@method
def to(self: tensor, dtype: dtype, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor:
    """Convert to another type; see `cast`."""
    return cast(self, dtype, fp_downcast_rounding, bitcast)
