"""The whole language under one module, where programs look for its less usual names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..ast.constants import constexpr as constexpr
from ..ast.constants import open_constant
from ..ast.values import tensor as tensor
from ..jit import ConstexprFunction as ConstexprFunction
from ..jit import constexpr_function as constexpr_function
from ..jit import must_use_result as must_use_result
from .external import extern_elementwise as extern_elementwise
from .registry import builtin as _builtin
from .types import dtype as dtype

#: The largest number of elements of a block.
TRITON_MAX_TENSOR_NUMEL = 1 << 20
TRITON_BUILTIN = "__triton_builtin__"
CONSTEXPR_0 = constexpr(0)


def builtin(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A program's own function for the compiler: kernels call it while they are compiled.

    Constants come as `constexpr`; what it calls of the language may be given its ``_semantic``.
    """
    setattr(fn, TRITON_BUILTIN, True)
    return fn


extern = builtin


def is_builtin(fn: Any) -> bool:
    """Whether a function is part of the language, or a program's own function for the compiler."""
    return hasattr(fn, "__tile_builtin__") or hasattr(fn, TRITON_BUILTIN)


@_builtin
def _unwrap_if_constexpr(value: Any) -> Any:
    """What a constexpr holds; anything else as it is."""
    return open_constant(value)


_constexpr_to_value = _unwrap_if_constexpr


@_builtin
def _unwrap_shape(shape: Any) -> list[Any]:
    """A shape's sizes as numbers."""
    return [open_constant(size) for size in open_constant(shape)]


@constexpr_function
def get_int_dtype(bitwidth: int, signed: bool) -> dtype:
    """The integer type of a width."""
    names = {(1, False): "int1", (1, True): "int1"}
    return getattr(sys.modules[__package__], names.get((bitwidth, signed), f"{'' if signed else 'u'}int{bitwidth}"))


@_builtin
def get_primitive_bitwidth(type: dtype) -> int:
    """Bits of an element."""
    return type.scalar.primitive_bitwidth


@_builtin
def str_to_ty(name: str, c: object = None) -> dtype:
    """The type that a signature spells.

    Raises:
        ValueError: If it is none.
    """
    from .types import parse_type

    found = parse_type(name)
    if found is None:
        raise ValueError(f"there is no type '{name}'")
    return found


def get_bool_env_var(name: str) -> bool:
    """Whether an environment variable of a flag is set."""
    import os

    return os.environ.get(name, "").strip().lower() in ("1", "true", "on", "y", "yes")


def __getattr__(name: str) -> Any:
    """Everything of the language, in the modules that it is written in."""
    language = sys.modules[__package__]
    for place in (language, language.types, language.math):  # type: ignore[attr-defined]
        if hasattr(place, name):
            return getattr(place, name)
    if name == "_aggregate":
        from ..ast.aggregates import aggregate

        return aggregate
    raise AttributeError(f"the language has no '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(sys.modules[__package__])})
