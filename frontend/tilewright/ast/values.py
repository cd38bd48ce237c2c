"""What a name in a kernel stands for.

- a `tensor`: a scalar or a block that the program computes when it runs;
- a tuple (or named tuple) of values, or an instance of an aggregate, whose fields are values;
- any other Python object: known while compiling. A number that was assigned to a
  plain variable is a `tensor` with a `constant`: it has a type of its own, as every
  variable has, and still serves where a compile-time constant is needed;
- `Undefined`: a name that has a value on some paths only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import Note, TileTypeError
from ..language.types import describe, dtype, type_of_number
from . import builder as _builder
from .constants import constexpr

if TYPE_CHECKING:
    from ..language.methods import Methods
else:
    Methods = object  # the language attaches them


class tensor(Methods):
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

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]" if self.constant is None else str(self.constant)

    def __bool__(self) -> bool:
        if self.constant is not None:
            return bool(self.constant)
        raise TileTypeError(f"{describe(self.type)} is computed by the program: its value is not known while compiling")

    __hash__ = object.__hash__


class Aggregate:
    """Base of the classes that `tilewright.aggregate` makes; an instance's dictionary holds its fields, in order."""

    __slots__ = ("_constructing",)
    __tile_fields__: ClassVar[dict[str, Any]] = {}


class BoundMethod:
    """A function whose first argument is given."""

    __tile_function__ = "method"

    def __init__(self, function: Any, receiver: Any) -> None:
        self.function = function
        self.receiver = receiver
        self.__name__ = getattr(function, "__name__", repr(function))


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


def parts(value: Value) -> tuple | None:
    """The values that a tuple or an instance of an aggregate is made of; None for any other value."""
    if isinstance(value, tuple):
        return value
    if isinstance(value, Aggregate):
        return tuple(value.__dict__.values())
    return None


def rebuild(like: Value, items: Sequence[Value]) -> Value:
    """A tuple or an aggregate of the same class as another."""
    if isinstance(like, Aggregate):
        return make_instance(type(like), dict(zip(like.__dict__, items, strict=True)))
    return type(like)._make(items) if hasattr(like, "_make") else tuple(items)


def make_instance(cls: type, fields: dict[str, Value]) -> Any:
    """An instance of an aggregate, without its constructor."""
    instance = object.__new__(cls)
    instance.__dict__.update(fields)
    return instance


def is_static(value: Value) -> bool:
    """Whether a value is known while compiling."""
    if isinstance(value, tensor):
        return value.constant is not None
    inner = parts(value)
    if inner is not None:
        return all(is_static(item) for item in inner)
    return not isinstance(value, Undefined)


def unwrap(value: Value) -> Value:
    """The Python object of a value that is known while compiling, else the value."""
    if isinstance(value, tensor):
        return value if value.constant is None else value.constant
    if isinstance(value, tuple):
        return rebuild(value, [unwrap(item) for item in value])
    return value


def has_tensor(value: Value) -> bool:
    """Whether a value, or one inside it, is computed by the program."""
    inner = parts(value)
    if inner is not None:
        return any(has_tensor(item) for item in inner)
    return isinstance(value, tensor)


def leaves(value: Value) -> Iterator[Value]:
    """The values inside nested tuples and aggregates, in order."""
    inner = parts(value)
    if inner is None:
        yield value
        return
    for item in inner:
        yield from leaves(item)


def fixed_leaves(value: Value, fixed: bool = False) -> Iterator[bool]:
    """For each leaf, whether it never becomes a value of the program: a field that is a compile-time constant."""
    inner = parts(value)
    if inner is None:
        yield fixed
    elif isinstance(value, Aggregate):
        for annotation, item in zip(value.__tile_fields__.values(), inner, strict=True):
            yield from fixed_leaves(item, fixed or annotation is constexpr)
    else:
        for item in inner:
            yield from fixed_leaves(item, fixed)


def leaf_names(value: Value, name: str) -> Iterator[str]:
    """For each leaf, how a kernel spells it, such as `pair[1]` or `mean.total`."""
    inner = parts(value)
    if inner is None:
        yield name
        return
    fields = value.__dict__ if isinstance(value, Aggregate) else getattr(value, "_fields", None)
    for place, (item, field) in enumerate(zip(inner, fields or inner, strict=True)):
        yield from leaf_names(item, f"{name}.{field}" if fields else f"{name}[{place}]")


def map_leaves(value: Value, change: Callable[[Value], Value]) -> Value:
    """The same nesting of tuples and aggregates around changed values."""
    inner = parts(value)
    if inner is None:
        return change(value)
    return rebuild(value, [map_leaves(item, change) for item in inner])


def same_structure(a: Value, b: Value) -> bool:
    """Whether two values nest tuples and aggregates alike."""
    x, y = parts(a), parts(b)
    if x is None or y is None:
        return x is y
    if isinstance(a, Aggregate) or isinstance(b, Aggregate):
        if type(a) is not type(b):
            return False
    return len(x) == len(y) and all(same_structure(i, j) for i, j in zip(x, y, strict=True))
