"""Combining all elements along a dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..ast.builder import current
from ..ast.emit import emit_region
from ..ast.values import rebuild, tensor
from ..errors import CompilationError, TileTypeError
from . import types as t
from .arithmetic import add, compare, or_, where, xor
from .conversion import cast, convert, describe_value, require_dtype, splat, static, static_axis, to_tensor
from .math import maximum, minimum
from .registry import method
from .shapes import arange, broadcast_to, expand_dims, reshape
from .types import block_type, describe

Combine = Callable[[list[tensor], list[tensor]], Sequence[tensor]]


# --- the operation ----------------------------------------------------------------------------------
def reduce_pairs(sources: Sequence[tensor], axis: int, combine: Combine) -> list[tensor]:
    """Reduce blocks of one shape together along a dimension."""
    shape = sources[0].shape
    rest = (*shape[:axis], *shape[axis + 1:])
    types = [block_type(source.dtype, rest) if rest else source.dtype for source in sources]
    elements = [source.dtype for source in sources]

    def body(arguments: list[tensor]) -> Sequence[tensor]:
        count = len(sources)
        return combine(arguments[:count], arguments[count:])

    return emit_region("tile.reduce", sources, types, {"axis": current().session.integer(axis)},
                       elements * 2, body)


def require_blocks(sources: Sequence[Any], what: str) -> list[tensor]:
    """Blocks of one shape, at least one."""
    blocks = [to_tensor(source) for source in sources]
    if not blocks:
        raise TileTypeError(f"{what}: expects a block, got an empty tuple")
    for block in blocks:
        if not block.type.is_block():
            raise TileTypeError(f"{what}: expects a block, got {describe(block.type)}")
        if block.shape != blocks[0].shape:
            raise TileTypeError(f"{what}: the blocks have different shapes: {describe(blocks[0].type)} "
                                f"and {describe(block.type)}")
    return blocks


def _reduce(sources: Sequence[Any], axis: Any, combine: Combine, keep_dims: Any, what: str) -> list[tensor]:
    blocks = require_blocks(sources, what)
    rank = len(blocks[0].shape)
    axis = static(axis, f"{what}: axis")
    keep_dims = static(keep_dims, f"{what}: keep_dims")
    if axis is None:
        results = reduce_pairs([reshape(block, block.numel) for block in blocks], 0, combine)
        return [splat(result, (1,) * rank) for result in results] if keep_dims else results
    place = static_axis(axis, rank, what)
    results = reduce_pairs(blocks, place, combine)
    return [expand_dims(result, place) for result in results] if keep_dims else results


def _single(x: Any, axis: Any, combine: Callable[[tensor, tensor], tensor], keep_dims: Any, what: str) -> tensor:
    return _reduce([x], axis, lambda a, b: [combine(a[0], b[0])], keep_dims, what)[0]


@method
def reduce(input: Any, axis: int | None, combine_fn: Any, keep_dims: bool = False) -> Any:
    """Combine all elements along a dimension with a function.

    Args:
        input: A block, or a tuple of blocks of one shape.
        axis: The dimension; all without it.
        combine_fn: A `@jit` function of two elements (of each block, first all of one
            element, then all of the other) that gives one (of each); it must be
            associative and commutative.
        keep_dims: Keep the dimension with size one.
    """
    sources = input if isinstance(input, tuple) else (input,)
    results = _reduce(sources, axis, call_combine(combine_fn, "reduce"), keep_dims, "reduce")
    return rebuild(input, results) if isinstance(input, tuple) else results[0]


def call_combine(combine_fn: Any, what: str) -> Combine:
    """A user's combine function, checked."""
    builder = current()

    def combine(a: list[tensor], b: list[tensor]) -> Sequence[tensor]:
        # What is combined with what is the target's choice, and so would be what overflows in between.
        saved, builder.options = builder.options, replace(builder.options, sanitize_overflow=False)
        try:
            result = builder.call(combine_fn, [*a, *b], {})
        finally:
            builder.options = saved
        given = result if isinstance(result, tuple) else (result,)
        if len(given) != len(a):
            raise CompilationError(f"{what}: the combine function must give {len(a)} values, got {len(given)}")
        return [_combined(value, element, what) for value, element in zip(given, a, strict=True)]

    return combine


def _combined(value: Any, element: tensor, what: str) -> tensor:
    """What a combine function gives, as the element it stands for."""
    if not isinstance(value, tensor) or value.constant is not None:
        value = cast(to_tensor(value), element.dtype)
    if value.type is not element.type:
        raise TileTypeError(f"{what}: the combine function must give {describe(element.type)}, "
                            f"got {describe_value(value)}", "convert its result with .to(...)")
    return value


# --- sums and extrema -----------------------------------------------------------------------------------
def wide_sum_type(dtype: t.dtype) -> t.dtype:
    """The type that elements are summed in unless another is asked for."""
    if dtype.is_int() and dtype.primitive_bitwidth < 32:
        return t.int32 if dtype.is_int_signed() else t.uint32
    return t.float32 if dtype.is_fp8() else dtype


@method
def sum(input: tensor, axis: int | None = None, keep_dims: bool = False, dtype: t.dtype | None = None) -> tensor:
    """The sum along a dimension; integers narrower than 32 bits are summed in 32.

    Args:
        input: A block.
        axis: The dimension; all without it.
        keep_dims: Keep the dimension with size one.
        dtype: The type to sum in.
    """
    input = to_tensor(input)
    wide = wide_sum_type(input.dtype) if dtype is None else require_dtype(dtype, "sum").scalar
    return _single(convert(input, wide), axis, add, keep_dims, "sum")


def _wide_extremum(input: Any) -> tensor:
    """Narrow elements widened, as `max` and `min` give them."""
    input = to_tensor(input)
    if input.dtype.is_ptr():
        raise TileTypeError(f"expects numbers, got {describe(input.type)}")
    if input.dtype.primitive_bitwidth < 32:
        return convert(input, t.float32 if input.dtype.is_floating() else t.int32)
    return input


@method
def max(input: tensor, axis: int | None = None, return_indices: bool = False,
        return_indices_tie_break_left: bool = True, keep_dims: bool = False) -> Any:
    """The largest element along a dimension; a number wins over NaN.

    Args:
        input: A block.
        axis: The dimension; all without it.
        return_indices: Give the index of the element as well.
        return_indices_tie_break_left: Of equal elements, give the smallest index.
        keep_dims: Keep the dimension with size one.
    """
    if static(return_indices, "max: return_indices"):
        return _with_index(input, axis, ">", return_indices_tie_break_left, keep_dims, "max")
    return _single(_wide_extremum(input), axis, maximum, keep_dims, "max")


@method
def min(input: tensor, axis: int | None = None, return_indices: bool = False,
        return_indices_tie_break_left: bool = True, keep_dims: bool = False) -> Any:
    """The smallest element along a dimension; see `max`."""
    if static(return_indices, "min: return_indices"):
        return _with_index(input, axis, "<", return_indices_tie_break_left, keep_dims, "min")
    return _single(_wide_extremum(input), axis, minimum, keep_dims, "min")


@method
def argmax(input: tensor, axis: int | None, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """The int32 index of the largest element along a dimension; a number wins over NaN."""
    return _with_index(input, axis, ">", tie_break_left, keep_dims, "argmax")[1]


@method
def argmin(input: tensor, axis: int | None, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """The int32 index of the smallest element along a dimension; a number wins over NaN."""
    return _with_index(input, axis, "<", tie_break_left, keep_dims, "argmin")[1]


def _with_index(input: Any, axis: Any, better: str, tie_break_left: Any, keep_dims: Any, what: str
                ) -> tuple[tensor, tensor]:
    input = to_tensor(input)
    if not input.type.is_block():
        raise TileTypeError(f"{what}: expects a block, got {describe(input.type)}")
    if input.dtype.is_bf16() or input.dtype.is_fp8():
        input = convert(input, t.float32)
    axis = static(axis, f"{what}: axis")
    if axis is None:
        indices = reshape(arange(0, input.numel), *input.shape)
    else:
        place = static_axis(axis, len(input.shape), what)
        along = arange(0, input.shape[place])
        others = tuple(dim for dim in range(len(input.shape)) if dim != place)
        indices = broadcast_to(expand_dims(along, others) if others else along, *input.shape)
    left = static(tie_break_left, f"{what}: tie_break_left")

    def combine(a: list[tensor], b: list[tensor]) -> list[tensor]:
        first = compare(better, a[0], b[0])
        if left:
            tie = compare("==", a[0], b[0]) & compare("<", a[1], b[1])
            first = first | tie
        if a[0].dtype.is_floating():  # NaN of the other side loses
            first = first | compare("!=", b[0], b[0])
        return [where(first, a[0], b[0]), where(first, a[1], b[1])]

    value, index = _reduce([input, indices], axis, combine, keep_dims, what)
    return value, index


def _bitwise(input: Any, axis: Any, keep_dims: Any, combine: Callable[[Any, Any], tensor], what: str) -> tensor:
    input = to_tensor(input)
    if not input.dtype.is_int():
        raise TileTypeError(f"{what}: expects integers, got {describe(input.type)}")
    return _single(input, axis, combine, keep_dims, what)


@method
def xor_sum(input: tensor, axis: int | None = None, keep_dims: bool = False) -> tensor:
    """The bitwise exclusive or along a dimension."""
    return _bitwise(input, axis, keep_dims, xor, "xor_sum")


@method
def reduce_or(input: tensor, axis: int | None, keep_dims: bool = False) -> tensor:
    """The bitwise or along a dimension."""
    return _bitwise(input, axis, keep_dims, or_, "reduce_or")


