"""Marks on functions: which work inside kernels, and which are methods of values too."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ..ast.constants import open_constant
from ..ast.values import tensor

F = TypeVar("F", bound=Callable[..., Any])

# What functions that are written for Triton's compiler hand on to those they call.
_HIDDEN = ("_semantic", "_generator", "_builder")


def builtin(function: F) -> F:
    """A function that a kernel may call; it writes operations.

    Numbers, strings, types, functions and tuples of them arrive as plain Python
    objects, everything else as `tensor`. A program's own functions for the compiler
    call it too: they add keywords of Triton's compiler, and give constants as they got them.
    """
    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if named and not named.keys().isdisjoint(_HIDDEN):
            args = tuple(map(open_constant, args))
            named = {name: open_constant(value) for name, value in named.items() if name not in _HIDDEN}
        return function(*args, **named)

    call.__tile_builtin__ = function  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def method(function: F) -> F:
    """A builtin that is a method of values as well."""
    marked = builtin(function)
    setattr(tensor, function.__name__, marked)
    return marked
