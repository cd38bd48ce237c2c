"""The program's place in the grid, barriers, and promises about values."""

from __future__ import annotations

from typing import Any

from ..ast.builder import current
from ..ast.emit import emit, emit_effect
from ..ast.values import is_static, tensor, unwrap
from ..errors import TileTypeError
from . import types as t
from .arithmetic import truth
from .conversion import describe_value, static, static_int, to_tensor
from .registry import builtin
from .types import describe


def _grid_axis(axis: Any, what: str) -> dict[str, Any]:
    axis = static_int(axis, f"{what}: axis")
    if axis not in (0, 1, 2):
        raise TileTypeError(f"{what}: axis must be 0, 1 or 2, got {axis}")
    return {"axis": current().session.integer(axis)}


@builtin
def program_id(axis: int) -> tensor:
    """The index of this program along an axis of the grid, an int32."""
    return emit("tile.program_id", [], t.int32, _grid_axis(axis, "program_id"))


@builtin
def num_programs(axis: int) -> tensor:
    """The number of programs along an axis of the grid, an int32."""
    return emit("tile.num_programs", [], t.int32, _grid_axis(axis, "num_programs"))


@builtin
def debug_barrier() -> None:
    """Wait until all threads of the program are here and see each other's writes to memory."""
    emit_effect("tile.barrier", [])


@builtin
def assume(cond: Any) -> None:
    """Promise that a scalar condition holds; with ``debug=True`` the promise is checked.

    No pass draws conclusions from it yet: `multiple_of`, `max_contiguous` and
    `max_constancy` are the promises that make code faster.
    """
    if is_static(cond):
        if not unwrap(cond):
            raise TileTypeError("assume: the condition is false")
        return
    cond = to_tensor(cond)
    if cond.type.is_block():
        raise TileTypeError(f"assume: the condition must be one value, got {describe(cond.type)}")
    if current().options.debug:
        emit_effect("tile.assert", [truth(cond)], {"message": current().session.string("a promise does not hold")})


def _hint(x: Any, values: Any, name: str, what: str) -> tensor:
    x = to_tensor(x)
    values = static(values, f"{what}: values")
    listed = values if isinstance(values, (tuple, list)) else [values]
    entries = [static_int(each, f"{what}: a value") for each in listed]
    rank = max(1, len(x.shape))
    if len(entries) != rank:
        raise TileTypeError(f"{what}: expects one value for each of {rank} dimensions of {describe_value(x)}, "
                            f"got {len(entries)}")
    if any(entry < 1 for entry in entries):
        raise TileTypeError(f"{what}: values must be positive, got {tuple(entries)}")
    if x.constant is not None:
        return x
    attribute = current().session.attribute(f"array<i64: {', '.join(map(str, entries))}>")
    return emit("tile.hint", [x], x.type, {name: attribute})


@builtin
def multiple_of(input: Any, values: Any) -> tensor:
    """Promise that the first of each group of consecutive values is a multiple of a number, by dimension."""
    return _hint(input, values, "divisibility", "multiple_of")


@builtin
def max_contiguous(input: Any, values: Any) -> tensor:
    """Promise that groups of so many values are consecutive integers, by dimension."""
    return _hint(input, values, "contiguity", "max_contiguous")


@builtin
def max_constancy(input: Any, values: Any) -> tensor:
    """Promise that groups of so many values are equal, by dimension."""
    return _hint(input, values, "constancy", "max_constancy")


@builtin
def expect_zero(x: Any, mask: Any) -> tensor:
    """``x``, which is zero where the mask holds; a mark for tools, of which the code takes no account.

    Args:
        x: A block of floats.
        mask: Where they are zero.
    """
    to_tensor(mask)
    return to_tensor(x)
