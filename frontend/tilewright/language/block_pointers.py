"""Block pointers: an array in memory, and the place of one block in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..ast.values import is_number, tensor
from ..errors import TileTypeError, list_names
from . import types as t
from .arithmetic import add, compare, logical_and, mul
from .conversion import (
    broadcast_into,
    constant_like,
    convert,
    describe_value,
    static,
    static_int,
    static_shape,
    to_tensor,
)
from .registry import builtin
from .shapes import arange, check_block, expand_dims
from .types import block_type, dtype, pointer_type

PADDINGS = ("", "zero", "nan")


@dataclass(frozen=True)
class BlockForm:
    """What of a block pointer is known while compiling."""

    block_shape: tuple[int, ...]
    order: tuple[int, ...]


class block_pointer(NamedTuple):
    """The place of a block in an array, which `make_block_ptr` makes and `advance` moves."""

    base: tensor
    sizes: tuple[tensor, ...]
    strides: tuple[tensor, ...]
    offsets: tuple[tensor, ...]
    form: BlockForm

    @property
    def dtype(self) -> dtype:
        """The type of a pointer to an element."""
        return self.base.dtype

    @property
    def type(self) -> dtype:
        """The type of a pointer to a block."""
        return pointer_type(block_type(self.dtype.element_ty, self.form.block_shape))

    def __tile_describe__(self) -> str:
        sizes = "x".join(map(str, self.form.block_shape))
        return f"a block pointer to {sizes} {self.dtype.element_ty}"


# --- making -----------------------------------------------------------------------------------------------
def _integers(values: Any, what: str, role: str) -> list[tensor]:
    if not isinstance(values, (tuple, list)):
        values = (values,)
    scalars = []
    for value in values:
        scalar = to_tensor(value) if is_number(value) else value
        if not isinstance(scalar, tensor) or scalar.type.is_block() or not scalar.dtype.is_int():
            raise TileTypeError(f"{what}: {role} must hold scalar integers, got {describe_value(value)}")
        scalars.append(scalar)
    return scalars


def _size(value: tensor) -> tensor:
    """A size with 32 bits where its type has no more: indices are compared as such."""
    return convert(value, t.int32 if value.dtype.primitive_bitwidth < 32 or value.dtype is t.int32 else t.int64)


@builtin
def make_block_ptr(base: tensor, shape: Sequence[Any], strides: Sequence[Any], offsets: Sequence[Any],
                   block_shape: Sequence[int], order: Sequence[int]) -> block_pointer:
    """The place of a block in an array.

    Args:
        base: The address of the array's first element.
        shape: The array's sizes.
        strides: Elements from one index to the next, for each dimension.
        offsets: The indices of the block's first element.
        block_shape: The block's sizes.
        order: The dimensions from the most contiguous one on; a hint.
    """
    what = "make_block_ptr"
    if not isinstance(base, tensor) or not base.dtype.is_ptr() or base.type.is_block():
        raise TileTypeError(f"{what}: base must be a single pointer, got {describe_value(base)}")
    sizes = static_shape(block_shape, f"{what}: block_shape")
    check_block(sizes, what)
    form = BlockForm(sizes, tuple(static_int(axis, f"{what}: order") for axis in order))
    roles = ((shape, "shape"), (strides, "strides"), (offsets, "offsets"))
    lists = [_integers(each, what, role) for each, role in roles]
    if any(len(each) != len(sizes) for each in (*lists, form.order)):
        counts = ", ".join(str(len(each)) for each in (*lists, sizes, form.order))
        raise TileTypeError(f"{what}: shape, strides, offsets, block_shape and order must have one entry for each "
                            f"dimension, got {counts}")
    if sorted(form.order) != list(range(len(sizes))):
        raise TileTypeError(f"{what}: order must be a permutation of 0 to {len(sizes) - 1}, got {list(form.order)}")
    parents, steps, starts = lists
    return block_pointer(base, tuple(map(_size, parents)), tuple(convert(step, t.int64) for step in steps),
                         tuple(convert(start, t.int32) for start in starts), form)


@builtin
def advance(base: block_pointer, offsets: Sequence[Any]) -> block_pointer:
    """A block pointer moved by ``offsets`` elements along each dimension."""
    if not isinstance(base, block_pointer):
        raise TileTypeError(f"advance: expects a block pointer, got {describe_value(base)}",
                            "tl.make_block_ptr makes one; pointers are advanced by adding to them")
    steps = _integers(offsets, "advance", "offsets")
    if len(steps) != len(base.offsets):
        raise TileTypeError(f"advance: expects {len(base.offsets)} offsets, got {len(steps)}")
    moved = [add(offset, convert(step, t.int32)) for offset, step in zip(base.offsets, steps, strict=True)]
    return base._replace(offsets=tuple(moved))


# --- access -----------------------------------------------------------------------------------------------
def checked_dims(pointer: block_pointer, boundary_check: Any, what: str) -> list[int]:
    """The dimensions along which a block may reach beyond the array."""
    dims = static(boundary_check, f"{what}: boundary_check")
    dims = dims if isinstance(dims, (tuple, list)) else (dims,)
    rank = len(pointer.offsets)
    checked = [static_int(dim, f"{what}: boundary_check") for dim in dims]
    for dim in checked:
        if not 0 <= dim < rank:
            raise TileTypeError(f"{what}: boundary_check names dimension {dim}, but the block has {rank}")
    if len(set(checked)) != len(checked):
        raise TileTypeError(f"{what}: boundary_check names a dimension twice: {checked}")
    return sorted(checked)


def padding_value(pointer: block_pointer, padding_option: Any, what: str) -> float | None:
    """What fills the block beyond the array; None for zero."""
    padding = static(padding_option, f"{what}: padding_option")
    if padding not in PADDINGS and padding is not None:
        known = list_names(repr(each) for each in PADDINGS)
        raise TileTypeError(f"{what}: padding_option must be one of {known}, got {padding!r}")
    if padding != "nan":
        return None
    if not pointer.dtype.element_ty.is_floating():
        raise TileTypeError(f"{what}: padding_option 'nan' is for floats, got {describe_value(pointer)}")
    return float("nan")


def _along(line: tensor, dim: int, rank: int) -> tensor:
    """A one-dimensional block as a block of `rank` dimensions."""
    others = [axis for axis in range(rank) if axis != dim]
    return expand_dims(line, others) if others else line


def _inside(pointer: block_pointer, dim: int) -> tensor:
    """Which indices along a dimension are inside of the array."""
    size = pointer.sizes[dim]
    index = add(pointer.offsets[dim], arange(0, pointer.form.block_shape[dim]))
    index = convert(index, size.dtype)
    return logical_and(compare(">=", index, constant_like(size.dtype, 0)), compare("<", index, size))


def resolve(pointer: block_pointer, dims: Sequence[int]) -> tuple[tensor, tensor | None]:
    """The block of pointers, and where they are inside of the array along the given dimensions."""
    shape = pointer.form.block_shape
    rank = len(shape)
    address = pointer.base
    for offset, stride in zip(pointer.offsets, pointer.strides, strict=True):
        address = add(address, mul(convert(offset, t.int64), stride))
    reached = [1] * rank
    pointers = broadcast_into(address, tuple(reached))
    for dim, (size, stride) in enumerate(zip(shape, pointer.strides, strict=True)):
        line = arange(0, size)
        if stride.constant != 1:
            line = mul(convert(line, t.int64), stride)
        reached[dim] = size
        pointers = add(broadcast_into(pointers, tuple(reached)), _along(line, dim, rank))
    mask = None
    for dim in dims:
        inside = broadcast_into(_along(_inside(pointer, dim), dim, rank), shape)
        mask = inside if mask is None else logical_and(mask, inside)
    return pointers, mask
