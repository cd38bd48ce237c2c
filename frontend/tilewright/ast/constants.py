"""Constants that kernels read from outside: `tl.constexpr` and what counts as constant without it."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

from ..language.types import dtype


class constexpr:
    """A compile-time constant: an annotation of a parameter, or a wrapper of a module's constant.

    On the host the wrapper computes like its value; in a kernel it is its value.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = open_constant(value)

    def __repr__(self) -> str:
        return f"constexpr({self.value!r})"

    def __hash__(self) -> int:
        return hash(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def logical_and(self, other: Any) -> constexpr:
        """``self and other``."""
        return constexpr(self.value and open_constant(other))

    def logical_or(self, other: Any) -> constexpr:
        """``self or other``."""
        return constexpr(self.value or open_constant(other))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.value(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self.value[open_constant(key)]


def _forward(name: str, operation: Callable[..., Any], swapped: bool = False) -> None:
    def apply(self: constexpr, *others: Any) -> constexpr:
        operands = [self.value, *(open_constant(other) for other in others)]
        return constexpr(operation(*reversed(operands) if swapped else operands))

    setattr(constexpr, f"__{'r' if swapped else ''}{name}__", apply)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor"):
    _forward(_name.rstrip("_"), getattr(operator, _name))
    _forward(_name.rstrip("_"), getattr(operator, _name), swapped=True)
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "invert"):
    _forward(_name, getattr(operator, _name))


def open_constant(value: Any) -> Any:
    """What a constexpr holds; anything else as it is."""
    if isinstance(value, constexpr):
        return value.value
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == () and hasattr(value, "item"):
        return value.item()
    if isinstance(value, (list, tuple)) and any(isinstance(item, constexpr) for item in value):
        items = [open_constant(item) for item in value]
        return type(value)._make(items) if hasattr(value, "_make") else tuple(items)
    return value


def is_constant_global(value: Any, name: str, names: dict[str, Any]) -> bool:
    """Whether a kernel may read a variable of a module: it is marked constant, or code."""
    if isinstance(value, (constexpr, types.ModuleType, dtype, type)) or value is None:
        return True
    if hasattr(value, "__tile_builtin__") or hasattr(value, "__tile_function__") or hasattr(
            value, "__triton_builtin__"):
        return True
    if isinstance(value, types.BuiltinFunctionType):
        return True
    if isinstance(value, tuple) and value:
        return all(is_constant_global(item, name, names) for item in value)
    annotation = names.get("__annotations__", {}).get(name)
    return annotation is constexpr or (isinstance(annotation, str) and annotation.split(".")[-1] == "constexpr")


def is_constexpr_annotation(annotation: Any) -> bool:
    """Whether a parameter is annotated as a compile-time constant, evaluated or as text."""
    if isinstance(annotation, str):
        return annotation.split(".")[-1].split("[")[0] == "constexpr"
    return annotation is constexpr
