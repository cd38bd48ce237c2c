"""Elements from other places of a block: parts, rows, gathers, concatenation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ast.builder import current
from ..ast.emit import emit
from ..ast.values import tensor
from ..errors import TileTypeError
from .arithmetic import and_, shr
from .conversion import cast, describe_value, splat, static, static_axis, static_int
from .registry import builtin, method
from .shapes import check_block, expand_dims, item, join, permute, require_block, reshape
from .types import block_type, describe


def _shape_text(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))


# --- gather, cat, flip ------------------------------------------------------------------------------
@method
def gather(src: tensor, index: tensor, axis: int) -> tensor:
    """Elements of a block at computed places along a dimension.

    Element ``(.., i, ..)`` of the result is ``src[.., index[.., i, ..], ..]``. An index
    outside of the block, negative ones included, takes the last element.

    Args:
        src: A block.
        index: A block of integers, with the sizes of ``src`` but for ``axis``.
        axis: The dimension.
    """
    src, index = require_block(src, "gather"), require_block(index, "gather: index")
    if not index.dtype.is_int() or index.dtype.is_bool():
        raise TileTypeError(f"gather: the index must be integers, got {describe(index.type)}")
    rank = len(src.shape)
    if len(index.shape) != rank:
        raise TileTypeError(f"gather: source and index must have as many dimensions, got {describe(src.type)} "
                            f"and {describe(index.type)}")
    place = static_axis(axis, rank, "gather")
    for dim, (have, want) in enumerate(zip(index.shape, src.shape, strict=True)):
        if dim != place and have != want:
            raise TileTypeError(f"gather: sizes must be equal but for axis {place}, got {describe(src.type)} "
                                f"and {describe(index.type)}")
    return emit("tile.gather", [src, index], block_type(src.dtype, index.shape),
                {"axis": current().session.integer(place)})


@builtin
def cat(input: tensor, other: tensor, can_reorder: bool = False, dim: int = 0) -> tensor:
    """Two blocks one after the other along a dimension.

    Args:
        input: A block.
        other: A block of the same type, and of the same sizes but for ``dim``.
        can_reorder: The order of the result's elements does not matter; they are in order anyway.
        dim: The dimension.
    """
    a, b = require_block(input, "cat"), require_block(other, "cat")
    static(can_reorder, "cat: can_reorder")
    if a.dtype is not b.dtype:
        raise TileTypeError(f"cat: the types differ: {describe(a.type)} and {describe(b.type)}")
    place = static_axis(dim, len(a.shape), "cat")
    rest = [[size for at, size in enumerate(x.shape) if at != place] for x in (a, b)]
    if len(a.shape) != len(b.shape) or rest[0] != rest[1]:
        raise TileTypeError(f"cat: sizes must be equal but for dimension {place}, got {describe(a.type)} "
                            f"and {describe(b.type)}")
    shape = (*a.shape[:place], a.shape[place] + b.shape[place], *a.shape[place + 1:])
    check_block(shape, "cat")
    return emit("tile.cat", [a, b], block_type(a.dtype, shape), {"axis": current().session.integer(place)})


@method
def flip(x: tensor, dim: int | None = None) -> tensor:
    """The elements in reverse order along a dimension, by default the last one."""
    x = require_block(x, "flip")
    dim = static(dim, "flip: dim")
    place = static_axis(-1 if dim is None else dim, len(x.shape), "flip")
    ranges = [range(size) for size in x.shape]
    ranges[place] = ranges[place][::-1]
    return _extract(x, ranges)


# --- parts ------------------------------------------------------------------------------------------
def _extract(x: tensor, ranges: Sequence[range]) -> tensor:
    """The elements at the given places of each dimension."""
    if all(each == range(size) for each, size in zip(ranges, x.shape, strict=True)):
        return x
    session = current().session

    def numbers(values: Sequence[int]) -> Any:
        return session.attribute(f"array<i64: {', '.join(map(str, values))}>")

    return emit("tile.extract", [x], block_type(x.dtype, [len(each) for each in ranges]),
                {"offsets": numbers([each.start for each in ranges]),
                 "strides": numbers([each.step if len(each) > 1 else 1 for each in ranges])})


def _take_row(x: tensor, place: int, at: tensor) -> tensor:
    """The elements at one computed place of a dimension, which keeps size one."""
    shape = (*x.shape[:place], 1, *x.shape[place + 1:])
    return gather(x, splat(at, shape), place)


def _range_of(each: slice, size: int, dim: int) -> range:
    parts = [None if part is None else static_int(part, "a bound of a slice")
             for part in (each.start, each.stop, each.step)]
    if parts[2] == 0:
        raise TileTypeError("the step of a slice must not be zero")
    chosen = range(*slice(*parts).indices(size))
    if not chosen:
        raise TileTypeError(f"the slice of dimension {dim} is empty: it has size {size}")
    return chosen


def _place_of(at: int, size: int, dim: int) -> range:
    if not -size <= at < size:
        raise TileTypeError(f"index {at} is out of range for dimension {dim} of size {size}")
    return range(at % size, at % size + 1)


def _expand_ellipsis(x: tensor, items: tuple[Any, ...]) -> tuple[Any, ...]:
    """The items with one for each dimension."""
    kept = [each for each in items if each is not None and each is not Ellipsis]
    if len(kept) > len(x.shape):
        raise TileTypeError(f"too many indices for {describe(x.type)}")
    missing = (slice(None),) * (len(x.shape) - len(kept))
    places = [place for place, each in enumerate(items) if each is Ellipsis]
    if len(places) > 1:
        raise TileTypeError("an index has one '...'")
    at = places[0] if places else len(items)
    return (*items[:at], *missing, *items[at + 1:])


def index(x: tensor, items: Any) -> tensor:
    """`x[...]` of a block.

    ``:`` keeps a dimension, a slice with constant bounds keeps a part of it, None
    adds one of size one, an integer (constant or computed) takes one place and drops
    the dimension.
    """
    items = _expand_ellipsis(x, items if isinstance(items, tuple) else (items,))
    ranges: list[range] = []
    rows: list[tuple[int, tensor]] = []  # computed places
    dropped: list[int] = []
    new: list[int] = []
    for each in items:
        dim = len(ranges)
        if each is None:
            new.append(dim - len(dropped) + len(new))
        elif isinstance(each, slice):
            ranges.append(_range_of(each, x.shape[dim], dim))
        elif isinstance(each, bool) or not isinstance(each, (int, tensor)):
            raise TileTypeError(f"a block is indexed by integers, slices, '...' and None, got {describe_value(each)}")
        else:
            dropped.append(dim)
            ranges.append(_place(each, x.shape[dim], dim, rows))
    if not x.type.is_block():
        return expand_dims(x, tuple(new)) if new else x
    x = _extract(x, ranges)
    for dim, at in rows:
        x = _take_row(x, dim, at)
    if dropped:
        rest = [size for dim, size in enumerate(x.shape) if dim not in dropped]
        x = reshape(x, *rest) if rest else item(x)
    return expand_dims(x, tuple(new)) if new else x


def _place(at: Any, size: int, dim: int, rows: list[tuple[int, tensor]]) -> range:
    """The places that an integer leaves; a computed one is left for later."""
    if not isinstance(at, tensor):
        return _place_of(at, size, dim)
    if at.constant is not None:
        return _place_of(static_int(at, "an index"), size, dim)
    if at.type.is_block() or not at.dtype.is_int() or at.dtype.is_bool():
        hint = ("tl.gather takes elements at the places that a block says",) if at.type.is_block() else ()
        raise TileTypeError(f"a block is indexed by integers, slices, '...' and None, got {describe(at.type)}", *hint)
    rows.append((dim, at))
    return range(size)


# --- packed integers --------------------------------------------------------------------------------
def unpack_nibbles(x: tensor, dim: int) -> tensor:
    """The half bytes of a block of bytes, the low one first, along a dimension that doubles."""
    four = tensor(None, x.dtype, 4)
    halves = join(and_(x, tensor(None, x.dtype, 15)), and_(shr(x, four), tensor(None, x.dtype, 15)))
    rank = len(x.shape)
    order = [*range(dim + 1), rank, *range(dim + 1, rank)]
    shape = (*x.shape[:dim], 2 * x.shape[dim], *x.shape[dim + 1:])
    check_block(shape, "unpack")
    return reshape(permute(halves, *order) if dim != rank - 1 else halves, *shape)


@builtin
def unpack_int4(packed: tensor, dim: int = -1, signed: bool = True) -> tensor:
    """4-bit integers that are stored two in a byte, the first one in the low half.

    Args:
        packed: A block of int8 or uint8.
        dim: The dimension along which two integers share a byte; it doubles.
        signed: Whether they are from -8 to 7 (the result is int8) or from 0 to 15 (uint8).

    Example:
        >>> w = tl.unpack_int4(tl.load(w_ptrs), dim=0).to(tl.float16)
    """
    from .types import int8, uint8

    packed = require_block(packed, "unpack_int4")
    if packed.dtype not in (int8, uint8):
        raise TileTypeError(f"unpack_int4: expects bytes, got {describe(packed.type)}")
    place = static_axis(dim, len(packed.shape), "unpack_int4")
    nibbles = unpack_nibbles(cast(packed, uint8), place)
    if not static(signed, "unpack_int4: signed"):
        return nibbles
    from .arithmetic import sub, xor

    # (n ^ 8) - 8 extends the sign of four bits.
    eight = tensor(None, int8, 8)
    return sub(xor(cast(nibbles, int8), eight), eight)
