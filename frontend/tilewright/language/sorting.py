"""Sorting along a dimension, and counting."""

from __future__ import annotations

from typing import Any

from ..ast.builder import current
from ..ast.emit import emit, emit_many
from ..ast.values import tensor
from ..errors import TileTypeError
from . import types as t
from .conversion import convert, describe_value, static, static_axis, static_int, to_tensor
from .registry import method
from .shapes import check_block, permute, require_block
from .types import block_type, describe


def _ordered(x: Any, dim: Any, count: int | None, descending: Any, with_places: bool, what: str
             ) -> tuple[tensor, tensor | None]:
    """The first `count` elements along a dimension in order, and where they were."""
    x = require_block(x, what)
    if x.dtype.is_ptr():
        raise TileTypeError(f"{what}: expects numbers, got {describe(x.type)}")
    rank = len(x.shape)
    place = rank - 1 if static(dim, f"{what}: dim") is None else static_axis(dim, rank, what)
    # The operation sorts the last dimension; the permutation that exchanges two is its own inverse.
    order = list(range(rank))
    order[place], order[-1] = order[-1], order[place]
    rows = permute(x, *order) if place != rank - 1 else x
    shape = (*rows.shape[:-1], rows.shape[-1] if count is None else count)
    results = _sort_rows(rows, shape, bool(static(descending, f"{what}: descending")), with_places)
    if place != rank - 1:
        results = [permute(result, *order) for result in results]
    return results[0], results[1] if with_places else None


def _sort_rows(rows: tensor, shape: tuple[int, ...], descending: bool, with_places: bool) -> list[tensor]:
    element = rows.dtype
    if element.is_fp8():  # every one of their values is a value of fp16
        rows = convert(rows, t.float16)
    session = current().session
    attributes: dict[str, Any] = {"descending": session.unit} if descending else {}
    if rows.dtype.is_int_unsigned():
        attributes["isUnsigned"] = session.unit
    types = [block_type(rows.dtype, shape)]
    if with_places:
        types.append(block_type(t.int32, shape))
    results = emit_many("tile.sort", [rows], types, attributes)
    results[0] = convert(results[0], element)
    return results


def _pair(result: tuple[tensor, tensor | None]) -> Any:
    return result if result[1] is not None else result[0]


@method
def sort(x: tensor, dim: int | None = None, descending: bool = False, return_indices: bool = False) -> Any:
    """The elements along a dimension in ascending order; NaN counts as larger than any number.

    Args:
        x: A block.
        dim: The dimension; the last one without it.
        descending: Begin with the largest.
        return_indices: Give the int32 indices that the elements had as well. Equal
            elements then keep their order.
    """
    return _pair(_ordered(x, dim, None, descending, bool(static(return_indices, "sort: return_indices")), "sort"))


@method
def argsort(x: tensor, dim: int | None = None, descending: bool = False) -> tensor:
    """The int32 indices that put the elements along a dimension in order; equal elements keep theirs."""
    places = _ordered(x, dim, None, descending, True, "argsort")[1]
    assert places is not None
    return places


@method
def topk(x: tensor, k: int, dim: int | None = None, descending: bool = True, return_indices: bool = False) -> Any:
    """The ``k`` largest elements along a dimension, the largest first.

    Args:
        x: A block.
        k: How many, a compile-time constant.
        dim: The dimension; the last one without it.
        descending: Without it, the ``k`` smallest, the smallest first.
        return_indices: Give the int32 indices that the elements had as well. Of equal
            elements the first ones are taken.
    """
    x = require_block(x, "topk")
    count = static_int(k, "topk: k")
    dim = static(dim, "topk: dim")
    size = x.shape[-1 if dim is None else static_axis(dim, len(x.shape), "topk")]
    if not 1 <= count <= size:
        raise TileTypeError(f"topk: k must be from 1 to the {size} elements of the dimension, got {count}")
    return _pair(_ordered(x, dim, count, descending, bool(static(return_indices, "topk: return_indices")), "topk"))


@method
def bitonic_merge(x: tensor, dim: int | None = None, descending: bool = False) -> tensor:
    """The elements in order along a dimension in which they rise and then fall, or fall and then rise."""
    return _ordered(x, dim, None, descending, False, "bitonic_merge")[0]


@method
def histogram(input: tensor, num_bins: int, mask: tensor | None = None) -> tensor:
    """How often each number from 0 to ``num_bins - 1`` occurs in a block, as int32.

    Args:
        input: A block of integers with one dimension; other numbers are not counted.
        num_bins: The number of counts, a compile-time constant.
        mask: Which elements count; all without it.
    """
    input = require_block(input, "histogram")
    if len(input.shape) != 1 or not input.dtype.is_int():
        raise TileTypeError(f"histogram: expects a block of integers with one dimension, got {describe(input.type)}")
    bins = static_int(num_bins, "histogram: num_bins")
    if bins < 1:
        raise TileTypeError(f"histogram: num_bins must be positive, got {bins}")
    check_block((bins,), "histogram")
    if input.dtype.is_bool() or (input.dtype.is_int_unsigned() and input.dtype.primitive_bitwidth < 32):
        input = convert(input, t.int32)  # the operation takes numbers with a sign
    operands = [input]
    if mask is not None:
        operands.append(_mask_of(mask, input))
    return emit("tile.histogram", operands, block_type(t.int32, (bins,)))


def _mask_of(mask: Any, input: tensor) -> tensor:
    mask = to_tensor(mask)
    if mask.shape != input.shape or not mask.dtype.is_int():
        raise TileTypeError(f"histogram: the mask must be a block of {input.shape[0]} booleans, "
                            f"got {describe_value(mask)}")
    return convert(mask, t.int1)
