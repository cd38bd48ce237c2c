"""Making blocks and changing their shape."""

from __future__ import annotations

from math import prod
from typing import Any

from ..ast.builder import current
from ..ast.emit import emit, emit_many
from ..ast.values import is_number, tensor
from ..errors import TileTypeError
from . import types as t
from .conversion import (
    broadcast_into,
    broadcast_shape,
    broadcast_together,
    cast,
    constant_like,
    describe_value,
    require_dtype,
    splat,
    static_axis,
    static_int,
    static_shape,
    to_tensor,
)
from .registry import builtin, method
from .types import block_type, describe, dtype

LARGEST_BLOCK = 1 << 20


def check_block(shape: tuple[int, ...], what: str) -> None:
    """Refuse blocks that no target holds."""
    if prod(shape) > LARGEST_BLOCK:
        raise TileTypeError(f"{what}: a block of {prod(shape)} elements is too large; the largest has {LARGEST_BLOCK}")


def require_block(x: Any, what: str) -> tensor:
    """A block operand."""
    if not isinstance(x, tensor) or not x.type.is_block():
        raise TileTypeError(f"{what}: expects a block, got {describe_value(x)}")
    return x


# --- creation ---------------------------------------------------------------------------------------
@builtin
def arange(start: int, end: int) -> tensor:
    """The consecutive int32 numbers from ``start`` up to, not including, ``end``.

    Args:
        start: A compile-time constant.
        end: A compile-time constant.
    """
    start, end = static_int(start, "arange: start"), static_int(end, "arange: end")
    if end <= start:
        raise TileTypeError(f"arange: end must be greater than start, got {start} and {end}")
    check_block((end - start,), "arange")
    if start < t.int32.range[0] or end - 1 > t.int32.range[1]:
        raise TileTypeError(f"arange: {start} to {end} does not fit in int32")
    return emit("tile.arange", [], block_type(t.int32, (end - start,)), {"start": current().session.integer(start)})


@builtin
def full(shape: Any, value: Any, dtype: dtype) -> tensor:
    """A block of one value.

    Args:
        shape: Sizes, compile-time constants; without any the result is a scalar.
        value: A number or a scalar.
        dtype: The type of an element.
    """
    sizes = static_shape(shape, "full")
    check_block(sizes, "full")
    dtype = require_dtype(dtype, "full")
    if is_number(value):
        exact = dtype.is_int() or dtype.is_ptr()
        scalar = cast(to_tensor(value), dtype) if exact else tensor(None, dtype, float(value))
        if not sizes:  # as many programs begin a sum
            return scalar
        if scalar.constant is not None:
            return constant_like(block_type(dtype, sizes), scalar.constant)
        return splat(scalar, sizes)
    if not isinstance(value, tensor) or value.type.is_block():
        raise TileTypeError(f"full: the value must be a scalar, got {describe_value(value)}")
    return splat(cast(value, dtype), sizes) if sizes else cast(value, dtype)


@builtin
def zeros(shape: Any, dtype: dtype) -> tensor:
    """A block of zeros."""
    return full(shape, 0, dtype)


@builtin
def zeros_like(input: tensor) -> tensor:
    """Zeros of the type and shape of a value."""
    input = to_tensor(input)
    if not input.type.is_block():
        return tensor(None, input.type, 0.0 if input.dtype.is_floating() else 0)
    return full(input.shape, 0, input.dtype)


# --- shape -------------------------------------------------------------------------------------------
@builtin
def broadcast(input: Any, other: Any) -> tuple[tensor, tensor]:
    """Two values repeated to their common shape."""
    x, y = broadcast_together([to_tensor(input), to_tensor(other)], "broadcast")
    return x, y


@method
def broadcast_to(input: tensor, *shape: Any) -> tensor:
    """A value repeated along dimensions of size one to a shape."""
    sizes = static_shape(shape, "broadcast_to")
    check_block(sizes, "broadcast_to")
    input = to_tensor(input)
    if len(sizes) < len(input.shape) or broadcast_shape(input.shape, sizes) != sizes:
        raise TileTypeError(f"broadcast_to: {describe(input.type)} does not spread to {'x'.join(map(str, sizes))}")
    return broadcast_into(input, sizes)


@method
def expand_dims(input: tensor, axis: Any) -> tensor:
    """Insert dimensions of size one at the given places of the result."""
    input = to_tensor(input)
    axes = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    rank = len(input.shape) + len(axes)
    places = sorted(static_axis(each, rank, "expand_dims") for each in axes)
    if len(set(places)) != len(places):
        raise TileTypeError(f"expand_dims: axes must differ, got {tuple(axes)}")
    if not input.type.is_block():
        return splat(input, (1,) * rank)
    for place in places:
        shape = (*input.shape[:place], 1, *input.shape[place:])
        input = emit("tile.expand_dims", [input], block_type(input.dtype, shape),
                     {"axis": current().session.integer(place)})
    return input


@method
def reshape(input: tensor, *shape: Any, can_reorder: bool = False) -> tensor:
    """The same elements in row-major order under another shape; one size may be -1."""
    input = to_tensor(input)
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    sizes = [static_int(size, "reshape: a size") for size in shape]
    if sizes.count(-1) == 1:
        known = -prod(sizes)
        sizes[sizes.index(-1)] = input.numel // known if known > 0 and input.numel % known == 0 else -1
    if any(size < 1 for size in sizes) or prod(sizes) != input.numel:
        raise TileTypeError(f"reshape: {describe(input.type)} has {input.numel} elements, "
                            f"the shape {tuple(shape)} has another number")
    if not input.type.is_block():
        return splat(input, sizes) if sizes else input
    if tuple(sizes) == input.shape:
        return input
    if not sizes:
        return item(input)
    return emit("tile.reshape", [input], block_type(input.dtype, sizes))


@method
def view(input: tensor, *shape: Any) -> tensor:
    """Another name of `reshape`."""
    return reshape(input, *shape)


@method
def ravel(x: tensor, can_reorder: bool = False) -> tensor:
    """All elements in one dimension."""
    x = to_tensor(x)
    return reshape(x, x.numel)


@method
def item(x: tensor) -> tensor:
    """The element of a block that has one."""
    x = to_tensor(x)
    if x.numel != 1:
        raise TileTypeError(f"item: expects one element, got {describe(x.type)}")
    if not x.type.is_block():
        return x
    from .reductions import reduce_pairs

    return reduce_pairs([reshape(x, 1)], 0, lambda a, b: [a[0]])[0]


@method
def permute(input: tensor, *dims: Any) -> tensor:
    """Permute dimensions: dimension ``i`` of the result is dimension ``dims[i]`` of the input."""
    input = require_block(input, "permute")
    if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
        dims = tuple(dims[0])
    rank = len(input.shape)
    order = [static_int(dim, "permute: a dimension") for dim in dims]
    if sorted(dim % rank for dim in order) != list(range(rank)) or len(order) != rank:
        raise TileTypeError(f"permute: the order must be a permutation of 0..{rank - 1}, got {tuple(order)}")
    order = [dim % rank for dim in order]
    type = block_type(input.dtype, [input.shape[dim] for dim in order])
    attribute = current().session.attribute(f"array<i32: {', '.join(map(str, order))}>")
    return emit("tile.transpose", [input], type, {"order": attribute})


@method
def trans(input: tensor, *dims: Any) -> tensor:
    """Permute dimensions; without an order the last two change places."""
    input = require_block(input, "trans")
    if dims:
        return permute(input, *dims)
    rank = len(input.shape)
    if rank < 2:
        raise TileTypeError(f"trans: expects at least two dimensions, got {describe(input.type)}",
                            "x[:, None] makes a column of a block, x[None, :] a row")
    return permute(input, *range(rank - 2), rank - 1, rank - 2)


@builtin
def join(a: tensor, b: tensor) -> tensor:
    """Two values side by side in a new last dimension of size two."""
    a, b = to_tensor(a), to_tensor(b)
    if a.dtype is not b.dtype:
        raise TileTypeError(f"join: the types differ: {describe(a.type)} and {describe(b.type)}")
    a, b = broadcast_together([a, b], "join")
    if not a.type.is_block():
        joined = join(splat(a, (1,)), splat(b, (1,)))
        return reshape(joined, 2)
    return emit("tile.join", [a, b], block_type(a.dtype, (*a.shape, 2)))


@method
def split(a: tensor) -> tuple[tensor, tensor]:
    """The two halves of a last dimension of size two."""
    a = require_block(a, "split")
    if a.shape[-1] != 2:
        raise TileTypeError(f"split: the last dimension must have size 2, got {describe(a.type)}")
    rest = a.shape[:-1]
    type = block_type(a.dtype, rest) if rest else a.dtype
    first, second = emit_many("tile.split", [a], [type, type])
    return first, second


@method
def squeeze(x: tensor, dim: int) -> tensor:
    """Drop a dimension of size one."""
    x = require_block(x, "squeeze")
    dim = static_axis(dim, len(x.shape), "squeeze")
    if x.shape[dim] != 1:
        raise TileTypeError(f"squeeze: dimension {dim} has size {x.shape[dim]}, not 1")
    return reshape(x, *x.shape[:dim], *x.shape[dim + 1:])


@method
def unsqueeze(x: tensor, dim: int) -> tensor:
    """Insert a dimension of size one."""
    return expand_dims(x, dim)


@builtin
def interleave(a: tensor, b: tensor) -> tensor:
    """The elements of two blocks in turn, along the last dimension."""
    joined = join(a, b)
    shape = joined.shape
    return joined if len(shape) == 1 else reshape(joined, *shape[:-2], 2 * shape[-2])
