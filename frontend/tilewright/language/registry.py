"""Marks on functions: which work inside kernels, and which are methods of values too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..ast.values import tensor

F = TypeVar("F", bound=Callable[..., Any])


def builtin(function: F) -> F:
    """A function that a kernel may call; it writes operations.

    Numbers, strings, types, functions and tuples of them arrive as plain Python
    objects, everything else as `tensor`.
    """
    function.__tile_builtin__ = True  # type: ignore[attr-defined]
    return function


def method(function: F) -> F:
    """A builtin that is a method of values as well."""
    setattr(tensor, function.__name__, function)
    return builtin(function)
