"""What a name in a kernel stands for.

- a `tensor`: a scalar or a block that the program computes when it runs;
- a tuple (or named tuple) of values;
- any other Python object: known while compiling. A number that was assigned to a
  plain variable is a `tensor` with a `constant`: it has a type of its own, as every
  variable has, and still serves where a compile-time constant is needed;
- `Undefined`: a name that has a value on some paths only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import Note, TileTypeError
from ..language.types import dtype, type_of_number
from . import builder as _builder


class tensor:
    """A scalar or a block. Operators and methods are the functions of `tl` of the same name."""

    __slots__ = ("_handle", "type", "constant")

    def __init__(self, handle: Any, type: dtype, constant: bool | int | float | None = None) -> None:
        self._handle = handle
        self.type = type
        self.constant = constant

    @property
    def handle(self) -> Any:
        """The value in the IR; a constant enters it where it is first used."""
        if self._handle is None:
            return _builder.current().constant(self.type, self.constant)
        return self._handle

    @property
    def dtype(self) -> dtype:
        """The type of an element."""
        return self.type.scalar

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of a block; empty for a scalar."""
        return self.type.shape

    @property
    def numel(self) -> int:
        """The number of elements."""
        return self.type.numel if self.type.is_block() else 1  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"tensor({self.type.name})" if self.constant is None else f"{self.constant!r}: {self.type.name}"

    def __bool__(self) -> bool:
        if self.constant is not None:
            return bool(self.constant)
        raise TileTypeError(f"{self.type.name} is computed by the program: its value is not known while compiling")

    __hash__ = object.__hash__


@dataclass(frozen=True)
class Undefined:
    """The value of a name that was not assigned on every path."""

    message: str
    notes: tuple[Note, ...] = ()


Value = Any


def constant(value: bool | int | float) -> tensor:
    """A number as a value with a type of its own."""
    return tensor(None, type_of_number(value), value)


def is_number(value: Value) -> bool:
    """Whether a value is a Python number."""
    return isinstance(value, (bool, int, float))


def is_static(value: Value) -> bool:
    """Whether a value is known while compiling."""
    if isinstance(value, tensor):
        return value.constant is not None
    if isinstance(value, tuple):
        return all(is_static(item) for item in value)
    return not isinstance(value, Undefined)


def unwrap(value: Value) -> Value:
    """The Python object of a value that is known while compiling, else the value."""
    if isinstance(value, tensor):
        return value if value.constant is None else value.constant
    if isinstance(value, tuple):
        return rebuild(value, [unwrap(item) for item in value])
    return value


def rebuild(like: tuple, items: list[Value]) -> tuple:
    """A tuple of the same class as another."""
    return type(like)._make(items) if hasattr(like, "_make") else tuple(items)


def leaves(value: Value) -> Iterator[Value]:
    """The values inside nested tuples, in order."""
    if isinstance(value, tuple):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def map_leaves(value: Value, change: Callable[[Value], Value]) -> Value:
    """The same nesting of tuples around changed values."""
    if isinstance(value, tuple):
        return rebuild(value, [map_leaves(item, change) for item in value])
    return change(value)


def same_structure(a: Value, b: Value) -> bool:
    """Whether two values nest tuples alike."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        return (isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b)
                and all(same_structure(x, y) for x, y in zip(a, b, strict=True)))
    return True
