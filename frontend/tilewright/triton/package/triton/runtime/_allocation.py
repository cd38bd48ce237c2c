"""Memory that kernels need beside their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilewright import allocation

Allocator = Callable[[int, int, "int | None"], Any]


def set_allocator(allocator: Allocator) -> None:
    """Have `allocator(size, alignment, stream)` give memory to kernels that need some of their own."""
    allocation.set_allocator(allocator)


def set_profile_allocator(allocator: Allocator | None) -> None:
    """Kept for profilers; kernels need no memory for profiles."""
    allocation.set_profile_allocator(allocator)


class NullAllocator:
    """Says that there is no allocator."""

    def __call__(self, size: int, alignment: int, stream: int | None) -> Any:
        raise RuntimeError("a kernel needs memory of its own, but no allocator was set: call triton.set_allocator")


def get_allocator() -> Allocator:
    """The allocator in use."""
    return allocation.get_allocator() or NullAllocator()
