"""Memory that kernels need beside their arguments, from an allocator that the program sets."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

#: Gives memory of a size in bytes at an alignment, on a stream: anything with `data_ptr()`, or an array.
Allocator = Callable[[int, int, "int | None"], Any]

_allocator: ContextVar[Allocator | None] = ContextVar("allocator", default=None)
_profile_allocator: ContextVar[Allocator | None] = ContextVar("profile_allocator", default=None)


def set_allocator(allocator: Allocator | None) -> None:
    """Set where kernels get memory of their own from; most kernels need none.

    Raises:
        TypeError: If it is not a function.
    """
    if allocator is not None and not callable(allocator):
        raise TypeError(f"set_allocator: expects a function of (size, alignment, stream), got {allocator!r}")
    _allocator.set(allocator)


def get_allocator() -> Allocator | None:
    """The allocator that was set."""
    return _allocator.get()


def set_profile_allocator(allocator: Allocator | None) -> None:
    """Set where profiles would be written; kernels write none."""
    _profile_allocator.set(allocator)
