"""Walking nested tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

Path = tuple[int, ...]


def get_iterable_path(iterable: Any, path: Path) -> Any:
    """What is found inside nested sequences at a path of positions."""
    return reduce(lambda value, position: value[position], path, iterable)


def set_iterable_path(iterable: Any, path: Path, value: Any) -> None:
    """Put something at a path of positions inside nested lists."""
    get_iterable_path(iterable, path[:-1])[path[-1]] = value


def find_paths_if(iterable: Any, predicate: Callable[[Path, Any], bool]) -> list[Path]:
    """Paths of the leaves of nested sequences for which a condition holds."""
    found: dict[Path, None] = {}

    def visit(value: Any, path: Path) -> None:
        is_sequence = isinstance(value, Iterable) and not isinstance(value, (str, bytes, dict))
        if is_sequence:
            for position, item in enumerate(value):
                visit(item, (*path, position))
        elif predicate(path, value):
            found[path] = None

    visit(iterable, ())
    return list(found)


def list_list_flatten(lists: list[list[Any]]) -> tuple[list[int], list[Any]]:
    """Lists as one list, and their lengths."""
    return [len(each) for each in lists], [item for each in lists for item in each]


def is_power_of_two(x: int) -> bool:
    """Whether a number is a power of two."""
    return x > 0 and x & (x - 1) == 0


def validate_block_shape(shape: Iterable[Any]) -> int:
    """The number of elements of a block's shape, which is checked."""
    from math import prod

    sizes = list(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"a block's sizes are integers, got {size!r}")
    return prod(sizes)
