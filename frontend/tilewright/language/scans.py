"""Combining each element with all before it along a dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ast.builder import current
from ..ast.emit import emit_region
from ..ast.values import rebuild, tensor
from ..errors import TileTypeError
from . import types as t
from .arithmetic import add, mul
from .conversion import convert, require_dtype, static, static_axis, to_tensor
from .reductions import Combine, call_combine, require_blocks, wide_sum_type
from .registry import method
from .types import describe


def _scan(sources: Sequence[Any], axis: Any, combine: Combine, reverse: Any, what: str) -> list[tensor]:
    """Scan blocks of one shape together."""
    blocks = require_blocks(sources, what)
    place = static_axis(axis, len(blocks[0].shape), what)
    attributes = {"axis": current().session.integer(place)}
    if static(reverse, f"{what}: reverse"):
        attributes["reverse"] = current().session.unit
    count = len(blocks)

    def body(arguments: list[tensor]) -> Sequence[tensor]:
        return combine(arguments[:count], arguments[count:])

    return emit_region("tile.scan", blocks, [block.type for block in blocks], attributes,
                       [block.dtype for block in blocks] * 2, body)


@method
def associative_scan(input: Any, axis: int, combine_fn: Any, reverse: bool = False) -> Any:
    """Combine each element with all before it along a dimension, itself included.

    Args:
        input: A block, or a tuple of blocks of one shape.
        axis: The dimension.
        combine_fn: A `@jit` function that takes what was met before (a value of each
            block) and then an element (of each block), and gives both combined. It must
            be associative; it need not be commutative.
        reverse: Begin at the last element.
    """
    sources = input if isinstance(input, tuple) else (input,)
    results = _scan(sources, axis, call_combine(combine_fn, "associative_scan"), reverse, "associative_scan")
    return rebuild(input, results) if isinstance(input, tuple) else results[0]


def _wide_source(input: Any, what: str) -> tensor:
    """A block of numbers, bf16 and 8-bit floats as fp32."""
    input = to_tensor(input)
    if input.dtype.is_ptr():
        raise TileTypeError(f"{what}: expects numbers, got {describe(input.type)}")
    narrow = input.dtype.is_bf16() or input.dtype.is_fp8()
    return convert(input, t.float32) if narrow else input


@method
def cumsum(input: tensor, axis: int = 0, reverse: bool = False, dtype: t.dtype | None = None) -> tensor:
    """The sums of each element and all before it along a dimension.

    Integers narrower than 32 bits are summed in 32, bf16 and 8-bit floats in fp32.

    Args:
        input: A block.
        axis: The dimension.
        reverse: Begin at the last element.
        dtype: The type to sum in.
    """
    input = _wide_source(input, "cumsum")
    wide = wide_sum_type(input.dtype) if dtype is None else require_dtype(dtype, "cumsum").scalar
    return _scan([convert(input, wide)], axis, lambda a, b: [add(a[0], b[0])], reverse, "cumsum")[0]


@method
def cumprod(input: tensor, axis: int = 0, reverse: bool = False, dtype: t.dtype | None = None) -> tensor:
    """The products of each element and all before it along a dimension.

    Integers are multiplied in their own type, bf16 and 8-bit floats in fp32.

    Args:
        input: A block.
        axis: The dimension.
        reverse: Begin at the last element.
        dtype: The type to multiply in.
    """
    input = _wide_source(input, "cumprod")
    if dtype is not None:
        input = convert(input, require_dtype(dtype, "cumprod").scalar)
    return _scan([input], axis, lambda a, b: [mul(a[0], b[0])], reverse, "cumprod")[0]
