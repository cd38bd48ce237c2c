"""Descriptors of arrays in memory, which programs read and write block by block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..ast.builder import current
from ..ast.emit import emit, emit_effect
from ..ast.values import is_number, tensor
from ..errors import TileTypeError, list_names
from . import types as t
from .conversion import cast, convert, describe_value, static, static_shape, to_tensor
from .memory import require_pointer
from .registry import builtin
from .shapes import check_block
from .types import block_type, describe, dtype, tensor_descriptor_type

PADDINGS = ("zero", "nan")
_LEAST_BYTES = 16  # of a block's rows
_LEAST_ROWS = 8  # of a gather or a scatter


class tensor_descriptor(NamedTuple):
    """An array in memory with a shape, strides, and the shape of the blocks that programs access.

    `make_tensor_descriptor` makes one; a host's ``TensorDescriptor`` arrives as one.
    """

    handle: tensor

    @property
    def type(self) -> tensor_descriptor_type:
        """The type of the descriptor itself."""
        return self.handle.type  # type: ignore[return-value]

    @property
    def dtype(self) -> dtype:
        """The type of an element."""
        return self.type.element_ty

    @property
    def block_type(self) -> dtype:
        """The type of a block."""
        return block_type(self.dtype, self.block_shape)

    @property
    def block_shape(self) -> tuple[int, ...]:
        """The sizes of a block."""
        return self.type.block_shape

    @property
    def shape(self) -> tuple[tensor, ...]:
        """The sizes of the array."""
        return tuple(self._field("tile.descriptor_size", dim, t.int32) for dim in range(len(self.block_shape)))

    @property
    def strides(self) -> tuple[Any, ...]:
        """Elements from one index to the next, for each dimension."""
        last = len(self.block_shape) - 1
        return (*(self._field("tile.descriptor_stride", dim, t.int64) for dim in range(last)), 1)

    def _field(self, name: str, dim: int, type: dtype) -> tensor:
        return emit(name, [self.handle], type, {"dim": current().session.integer(dim)})

    def __tile_describe__(self) -> str:
        return describe(self.type)

    # --- access ------------------------------------------------------------------------------------
    @builtin
    def load(self, offsets: Sequence[Any]) -> tensor:
        """Read the block whose first element is at ``offsets``; what lies outside of the array is padding."""
        operands = [self.handle, *_offsets(self, offsets, "load")]
        return emit("tile.descriptor_load", operands, self.block_type)

    @builtin
    def store(self, offsets: Sequence[Any], value: Any) -> None:
        """Write the block whose first element is at ``offsets``; what lies outside of the array is dropped."""
        operands = [self.handle, *_offsets(self, offsets, "store"), _block(self, value, "store")]
        emit_effect("tile.descriptor_store", operands)

    @builtin
    def atomic_add(self, offsets: Sequence[Any], value: Any) -> None:
        """Add a block to what the array holds, each element as one step."""
        _reduce(self, "atomic_add", "add", offsets, value)

    @builtin
    def atomic_min(self, offsets: Sequence[Any], value: Any) -> None:
        """Lower the array's elements to those of a block that are smaller."""
        _reduce(self, "atomic_min", "min", offsets, value)

    @builtin
    def atomic_max(self, offsets: Sequence[Any], value: Any) -> None:
        """Raise the array's elements to those of a block that are larger."""
        _reduce(self, "atomic_max", "max", offsets, value)

    @builtin
    def atomic_and(self, offsets: Sequence[Any], value: Any) -> None:
        """Bitwise and of a block into the array."""
        _reduce(self, "atomic_and", "and", offsets, value)

    @builtin
    def atomic_or(self, offsets: Sequence[Any], value: Any) -> None:
        """Bitwise or of a block into the array."""
        _reduce(self, "atomic_or", "or", offsets, value)

    @builtin
    def atomic_xor(self, offsets: Sequence[Any], value: Any) -> None:
        """Bitwise exclusive or of a block into the array."""
        _reduce(self, "atomic_xor", "xor", offsets, value)

    @builtin
    def gather(self, x_offsets: Any, y_offset: Any) -> tensor:
        """Read one row for each of ``x_offsets``, from column ``y_offset`` on.

        The descriptor has two dimensions and blocks of one row.
        """
        rows = _rows(self, x_offsets, "gather")
        operands = [self.handle, rows, _index(y_offset, "gather")]
        return emit("tile.descriptor_gather", operands,
                    block_type(self.dtype, (rows.shape[0], self.block_shape[1])))

    @builtin
    def scatter(self, value: Any, x_offsets: Any, y_offset: Any) -> None:
        """Write the rows of ``value`` to ``x_offsets``, from column ``y_offset`` on."""
        rows = _rows(self, x_offsets, "scatter")
        shape = (rows.shape[0], self.block_shape[1])
        operands = [self.handle, rows, _index(y_offset, "scatter"), _block(self, value, "scatter", shape)]
        emit_effect("tile.descriptor_scatter", operands)


# --- operands -----------------------------------------------------------------------------------------
def _index(value: Any, what: str) -> tensor:
    """One offset as the 32-bit integer that it must be."""
    offset = to_tensor(value) if is_number(value) else value
    if not isinstance(offset, tensor) or offset.type.is_block() or not offset.dtype.is_int():
        raise TileTypeError(f"{what}: an offset must be a scalar integer, got {describe_value(value)}")
    return convert(offset, t.int32)


def _offsets(desc: tensor_descriptor, offsets: Any, what: str) -> list[tensor]:
    rank = len(desc.block_shape)
    if not isinstance(offsets, (tuple, list)):
        raise TileTypeError(f"{what}: offsets must be a list with one offset for each of {rank} dimensions, "
                            f"got {describe_value(offsets)}")
    if len(offsets) != rank:
        raise TileTypeError(f"{what}: expects {rank} offsets, got {len(offsets)}")
    return [_index(offset, what) for offset in offsets]


def _block(desc: tensor_descriptor, value: Any, what: str, shape: tuple[int, ...] | None = None) -> tensor:
    """A value that fits the descriptor's blocks, as its elements."""
    shape = desc.block_shape if shape is None else shape
    if not isinstance(value, tensor) or value.shape != shape or value.dtype.is_ptr():
        raise TileTypeError(f"{what}: the value must be {describe(block_type(desc.dtype, shape))}, "
                            f"got {describe_value(value)}")
    return cast(value, desc.dtype)


def _rows(desc: tensor_descriptor, rows: Any, what: str) -> tensor:
    """The numbers of the rows of a gather or a scatter."""
    if len(desc.block_shape) != 2 or desc.block_shape[0] != 1:
        raise TileTypeError(f"{what}: the descriptor must have two dimensions and blocks of one row, "
                            f"got {describe_value(desc)}", "make it with block_shape=[1, columns]")
    if not isinstance(rows, tensor) or len(rows.shape) != 1 or rows.dtype not in (t.int16, t.int32):
        raise TileTypeError(f"{what}: x_offsets must be a one-dimensional block of int16 or int32, "
                            f"got {describe_value(rows)}")
    if rows.shape[0] < _LEAST_ROWS:
        raise TileTypeError(f"{what}: expects at least {_LEAST_ROWS} rows, got {rows.shape[0]}")
    columns = max(1, 32 // desc.dtype.primitive_bitwidth) * 8
    if desc.block_shape[1] < columns:
        raise TileTypeError(f"{what}: of {desc.dtype} expects at least {columns} columns, got {desc.block_shape[1]}")
    return convert(rows, t.int32)


_REDUCIBLE = {
    "add": (t.uint32, t.int32, t.uint64, t.float32, t.float16, t.bfloat16),
    "min": (t.uint32, t.int32, t.uint64, t.int64, t.float16, t.bfloat16),
    "and": (t.uint32, t.int32, t.uint64, t.int64),
}
_REDUCIBLE |= {"max": _REDUCIBLE["min"], "or": _REDUCIBLE["and"], "xor": _REDUCIBLE["and"]}


def _reduce(desc: tensor_descriptor, what: str, kind: str, offsets: Any, value: Any) -> None:
    allowed = _REDUCIBLE[kind]
    if desc.dtype not in allowed:
        raise TileTypeError(f"{what}: a descriptor of {desc.dtype} is not supported",
                            f"supported are {list_names(str(each) for each in allowed)}")
    if desc.dtype.is_floating():
        kind = f"f{kind}"
    elif kind in ("min", "max") and desc.dtype.is_int_unsigned():
        kind = f"u{kind}"
    operands = [desc.handle, *_offsets(desc, offsets, what), _block(desc, value, what)]
    emit_effect("tile.descriptor_reduce", operands, {"kind": current().session.attribute(f"#tile<atomic {kind}>")})


# --- functions --------------------------------------------------------------------------------------------
def _scalars(values: Any, what: str, role: str, type: dtype) -> list[tensor]:
    if not isinstance(values, (tuple, list)):
        raise TileTypeError(f"{what}: {role} must be a list, got {describe_value(values)}")
    scalars = []
    for value in values:
        scalar = to_tensor(value) if is_number(value) else value
        if not isinstance(scalar, tensor) or scalar.type.is_block() or not scalar.dtype.is_int():
            raise TileTypeError(f"{what}: {role} must hold scalar integers, got {describe_value(value)}")
        scalars.append(convert(scalar, type))
    return scalars


def _check_row(what: str, block_shape: tuple[int, ...], element: dtype) -> None:
    size = block_shape[-1] * element.itemsize
    if size < _LEAST_BYTES:
        raise TileTypeError(f"{what}: the last dimension of block_shape must have at least {_LEAST_BYTES} bytes, "
                            f"got {block_shape[-1]} * {element.itemsize} = {size}")


@builtin
def make_tensor_descriptor(base: tensor, shape: Sequence[Any], strides: Sequence[Any],
                           block_shape: Sequence[int], padding_option: str = "zero") -> tensor_descriptor:
    """Describe an array in memory, to read and write it block by block.

    Args:
        base: The address of its first element.
        shape: Its sizes, one to five.
        strides: Elements from one index to the next, for each dimension; the last one is 1.
        block_shape: The sizes of the blocks that are read and written.
        padding_option: What blocks hold outside of the array: ``"zero"``, or ``"nan"`` for floats.
    """
    what = "make_tensor_descriptor"
    base = require_pointer(base, what)
    if base.type.is_block():
        raise TileTypeError(f"{what}: base must be a single pointer, got {describe_value(base)}")
    element = base.dtype.element_ty
    if element.is_ptr() or element.is_bool():
        raise TileTypeError(f"{what}: arrays of numbers are supported, got {describe_value(base)}")
    block_shape = static_shape(block_shape, f"{what}: block_shape")
    sizes = _scalars(shape, what, "shape", t.int32)
    steps = _scalars(strides, what, "strides", t.int64)
    rank = len(sizes)
    if not 1 <= rank <= 5:
        raise TileTypeError(f"{what}: expects one to five dimensions, got {rank}")
    if len(steps) != rank:
        raise TileTypeError(f"{what}: expects {rank} strides, got {len(steps)}")
    if len(block_shape) != rank:
        raise TileTypeError(f"{what}: expects block_shape to have {rank} dimensions, got {len(block_shape)}")
    if steps[-1].constant != 1:
        got = describe_value(steps[-1]) if steps[-1].constant is None else steps[-1].constant
        raise TileTypeError(f"{what}: the last stride must be the constant 1, got {got}",
                            "descriptors are of arrays whose last dimension is contiguous")
    check_block(block_shape, what)
    _check_row(what, block_shape, element)
    padding = static(padding_option, f"{what}: padding_option")
    if padding not in PADDINGS:
        raise TileTypeError(f"{what}: padding_option must be 'zero' or 'nan', got {padding!r}")
    if padding == "nan" and not element.is_floating():
        raise TileTypeError(f"{what}: padding_option 'nan' is for floats, got elements of type {element}")
    type = tensor_descriptor_type(element, block_shape, padding == "nan")
    segments = current().session.attribute(f"array<i32: 1, {rank}, {rank - 1}>")
    handle = emit("tile.make_descriptor", [base, *sizes, *steps[:-1]], type, {"operandSegmentSizes": segments})
    return tensor_descriptor(handle)


def _require_descriptor(desc: Any, what: str) -> tensor_descriptor:
    if not isinstance(desc, tensor_descriptor):
        raise TileTypeError(f"{what}: expects a tensor descriptor, got {describe_value(desc)}",
                            "tl.make_tensor_descriptor makes one")
    return desc


@builtin
def load_tensor_descriptor(desc: tensor_descriptor, offsets: Sequence[Any]) -> tensor:
    """Read a block of a descriptor's array; ``desc.load(offsets)``."""
    return _require_descriptor(desc, "load_tensor_descriptor").load(offsets)


@builtin
def store_tensor_descriptor(desc: tensor_descriptor, offsets: Sequence[Any], value: Any) -> None:
    """Write a block of a descriptor's array; ``desc.store(offsets, value)``."""
    _require_descriptor(desc, "store_tensor_descriptor").store(offsets, value)
