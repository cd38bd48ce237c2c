"""One value from several paths: what branches give and loops carry."""

from __future__ import annotations

from typing import Any

from ..language.conversion import constant_like, convert, describe_value
from ..language.promotion import result_with_number
from ..language.types import dtype, int64, like, tensor_descriptor_type, type_of_number
from .builder import current
from .emit import emit
from .values import (
    Undefined,
    Value,
    fixed_leaves,
    is_number,
    leaf_names,
    leaves,
    map_leaves,
    parts,
    same_structure,
    tensor,
)


def equal_constants(a: Value, b: Value) -> bool:
    """Whether two values are the same while compiling."""
    if isinstance(a, tensor) or isinstance(b, tensor):
        if a is b:
            return True
        return (isinstance(a, tensor) and isinstance(b, tensor) and a.constant is not None
                and a.type is b.type and repr(a.constant) == repr(b.constant))
    if parts(a) is not None and same_structure(a, b):
        return all(equal_constants(x, y) for x, y in zip(leaves(a), leaves(b), strict=True))
    if is_number(a) and is_number(b):
        return type(a) is type(b) and repr(a) == repr(b)
    return a is b or (type(a) is type(b) and a == b)


def carried_type(value: Value) -> dtype | None:
    """The type of a leaf that flows through the program; None if it is no number."""
    if isinstance(value, tensor):
        return value.type
    return type_of_number(value) if is_number(value) else None


def common_type(a: Value, b: Value) -> dtype | None:
    """The type that two leaves have, or that a constant takes from the other one."""
    x, y = carried_type(a), carried_type(b)
    if x is None or y is None or x is y:
        return x if y is not None else None
    for value, other, type in ((a, b, y), (b, a, x)):
        number = value.constant if isinstance(value, tensor) else value
        if number is not None and fits(number, type) and not (isinstance(other, tensor) and other.type is not type):
            return type
    return None


def fits(number: bool | int | float, type: dtype) -> bool:
    """Whether a number may take a scalar type without changing its kind or value."""
    if type.is_block() or type.is_ptr():
        return False
    if result_with_number(type, number) is not type:
        return False
    return not type.is_int() or type.range[0] <= number <= type.range[1]


def as_type(value: Value, type: dtype) -> Any:
    """The IR's value of a leaf that has, or as a constant takes, a type."""
    if isinstance(value, tensor) and value.type is type:
        return value.handle
    number = value.constant if isinstance(value, tensor) else value
    return current().constant(type, float(number) if type.is_floating() else number)


class Merged:
    """A value that flows out of control flow: its leaves' types, and how to put it together again."""

    def __init__(self, template: Value, types: list[dtype | None]) -> None:
        self.template = template
        self.types = types

    def operands(self, value: Value) -> list[Any]:
        """The IR's values of one path."""
        return [as_type(leaf, type) for leaf, type in zip(leaves(value), self.types, strict=True) if type is not None]

    def rebuild(self, results: Any) -> Value:
        """The value from the next results."""
        types = iter(self.types)

        def one(leaf: Value) -> Value:
            type = next(types)
            return leaf if type is None else tensor(next(results), type)

        return map_leaves(self.template, one)

    def flowing(self) -> list[dtype]:
        """The types of the leaves that flow."""
        return [type for type in self.types if type is not None]


def merge(a: Value, b: Value) -> Merged | None:
    """What two paths give; None if they do not agree."""
    if not same_structure(a, b):
        return None
    types: list[dtype | None] = []
    for x, y, fixed in zip(leaves(a), leaves(b), fixed_leaves(a), strict=True):
        if equal_constants(x, y):
            types.append(None)
            continue
        type = None if fixed else common_type(x, y)
        if type is None:
            return None
        types.append(type)
    return Merged(a, types)


def carry(value: Value) -> Merged:
    """What a loop carries of a value that it changes."""
    return Merged(value, [None if fixed else carried_type(leaf)
                          for leaf, fixed in zip(leaves(value), fixed_leaves(value), strict=True)])


def difference(name: str, a: Value, b: Value) -> tuple[str, str, str]:
    """Where two values of a name do not agree: the part's name, and both in a user's words."""
    if same_structure(a, b):
        for part, x, y, fixed in zip(leaf_names(a, name), leaves(a), leaves(b), fixed_leaves(a), strict=True):
            if not equal_constants(x, y):
                if fixed:
                    return part, f"the constant {x!r}", f"the constant {y!r}"
                if common_type(x, y) is None:
                    return part, describe_flow(x), describe_flow(y)
    return name, describe_flow(a), describe_flow(b)


def mismatch(name: str, a: Value, b: Value) -> str:
    """Why two values do not agree, in a user's words."""
    part, x, y = difference(name, a, b)
    return f"'{part}' is {x} on one path and {y} on the other"


def describe_flow(value: Value) -> str:
    """A value as control flow sees it."""
    if isinstance(value, Undefined):
        return "not set"
    if is_number(value):
        return f"a scalar {type_of_number(value)}"
    return describe_value(value)


def filler(value: Value) -> Value:
    """A value of the same type that nothing reads."""
    return map_leaves(value, _filler)


def _filler(leaf: Value) -> Value:
    if not isinstance(leaf, tensor):
        return leaf
    if isinstance(leaf.type, tensor_descriptor_type):
        return emit("ub.poison", [], leaf.type)
    if leaf.dtype.is_ptr():
        return convert(constant_like(like(leaf.type, int64), 0), leaf.dtype)
    return constant_like(leaf.type, 0.0 if leaf.dtype.is_floating() else 0)
