"""Walking nested tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from tilewright.triton.spellings import type_canonicalisation_dict as type_canonicalisation_dict

Path = tuple[int, ...]
TRITON_MAX_TENSOR_NUMEL = 1 << 20


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


def apply_with_path(value: Any, function: Callable[[Path, Any], Any], path: Path = ()) -> None:
    """Call a function with each leaf of nested tuples and its path."""
    if isinstance(value, (tuple, list)):
        for position, item in enumerate(value):
            apply_with_path(item, function, (*path, position))
    else:
        function(path, value)


def is_iterable(value: Any) -> bool:
    """Whether a value is a tuple or a list."""
    return isinstance(value, (tuple, list))


def is_namedtuple(value: Any) -> bool:
    """Whether a value, or a class, is a named tuple."""
    kind = value if isinstance(value, type) else type(value)
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def canonicalize_dtype(dtype: Any) -> str:
    """The name of a type in signatures."""
    text = str(dtype).rpartition(".")[2]
    return type_canonicalisation_dict.get(text, text)


def get_primitive_bitwidth(dtype: str) -> int:
    """Bits of an element of a type, by its name in signatures."""
    from tilewright.language.types import parse_type

    found = parse_type(dtype)
    if found is None:
        raise ValueError(f"there is no type '{dtype}'")
    return found.primitive_bitwidth


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
