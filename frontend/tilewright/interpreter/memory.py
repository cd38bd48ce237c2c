"""Memory that pointers address: the arrays of the launch, with their bounds.

A pointer remembers which argument it came from as long as it is only moved, so that an access
outside of that array is found where it is made. Pointers that come out of memory are followed blindly,
as compiled code does.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..language.types import dtype
from .formats import from_bits, memory_type, to_bits

Array = Any


class AccessError(Exception):
    """An access that is not allowed; the text says which element makes it."""


@dataclass(frozen=True, eq=False)
class Buffer:
    """The memory of an argument.

    Attributes:
        name: The parameter's.
        first: The address that the kernel is given.
        start: Where the memory begins; a slice of an array may be reached from both sides.
        end: The address after its last byte.
        writable: Whether the kernel may store to it.
        owner: What keeps the memory.
    """

    name: str
    first: int
    start: int
    end: int
    writable: bool
    owner: Any

    def bytes(self) -> Array:
        """The memory as numpy sees it."""
        return _bytes_at(self.start, self.end - self.start)


class Addresses:
    """Pointers: addresses, and the memory that they came from if it is known."""

    __slots__ = ("array", "buffer")

    def __init__(self, array: Array, buffer: Buffer | None) -> None:
        self.array = np.asarray(array)
        self.buffer = buffer

    def map(self, change: Callable[[Array], Array]) -> Addresses:
        """Other addresses in the same memory."""
        return Addresses(change(self.array), self.buffer)


def map_array(value: Any, change: Callable[[Array], Array]) -> Any:
    """Numbers or pointers under a change of shape."""
    return value.map(change) if isinstance(value, Addresses) else change(value)


def map_arrays(values: list[Any], change: Callable[..., Array]) -> Any:
    """The same for several of one kind."""
    if not any(isinstance(value, Addresses) for value in values):
        return change(*values)
    buffers = {value.buffer for value in values}
    return Addresses(change(*(value.array for value in values)), buffers.pop() if len(buffers) == 1 else None)


def _bytes_at(address: int, size: int) -> Array:
    if size <= 0:
        return np.empty(0, np.uint8)
    return np.frombuffer((ctypes.c_uint8 * size).from_address(address), np.uint8)


def _check_bounds(pointers: Addresses, mask: Array, size: int, what: str) -> None:
    buffer = pointers.buffer
    assert buffer is not None
    outside = mask & ((pointers.array < buffer.start) | (pointers.array + size > buffer.end))
    if not outside.any():
        return
    place = tuple(int(each) for each in np.argwhere(outside)[0]) if outside.ndim else ()
    address = int(pointers.array[place])
    offset, length = (address - buffer.first) // size, (buffer.end - buffer.first) // size
    which = f" of lane {place if len(place) > 1 else place[0]}" if place else ""
    raise AccessError(f"the {what}{which} is outside of '{buffer.name}': element {offset} of {length}")


def _lanes(pointers: Addresses, mask: Any, type: dtype, what: str) -> tuple[Array, Array, int]:
    """The addresses of the lanes that make an access, which lanes they are, and the size of an element."""
    size = memory_type(type).itemsize
    active = np.broadcast_to(np.asarray(True if mask is None else mask), pointers.array.shape)
    if pointers.buffer is not None:
        _check_bounds(pointers, active, size, what)
        if what != "load" and not pointers.buffer.writable and active.any():
            raise AccessError(f"'{pointers.buffer.name}' is a read-only array, but the kernel stores to it")
    return pointers.array[active], active, size


def _places(pointers: Addresses, addresses: Array, size: int) -> tuple[Array, Array]:
    """Bytes of memory, and where in them the bytes of each address are."""
    if pointers.buffer is not None:
        start, memory = pointers.buffer.start, pointers.buffer.bytes()
    else:
        start = int(addresses.min())
        if start == 0:
            raise AccessError("an access to address 0")
        memory = _bytes_at(start, int(addresses.max()) + size - start)
    return memory, (addresses - start)[..., None] + np.arange(size)


def read(pointers: Addresses, mask: Any, type: dtype) -> Array:
    """The elements that pointers address; zero where the mask is false."""
    addresses, active, size = _lanes(pointers, mask, type, "load")
    bits = np.zeros(pointers.array.shape, memory_type(type))
    if addresses.size:
        memory, places = _places(pointers, addresses, size)
        bits[active] = np.ascontiguousarray(memory[places]).view(memory_type(type)).reshape(addresses.shape)
    return Addresses(bits, None) if type.scalar.is_ptr() else from_bits(bits, type)


def write(pointers: Addresses, value: Any, mask: Any, type: dtype) -> None:
    """Store elements; of several to one address the last one stays."""
    addresses, active, size = _lanes(pointers, mask, type, "store")
    if not addresses.size:
        return
    bits = value.array if isinstance(value, Addresses) else to_bits(value, type)
    bits = np.ascontiguousarray(np.broadcast_to(bits, active.shape)[active]).astype(memory_type(type))
    memory, places = _places(pointers, addresses, size)
    memory[places] = bits.view(np.uint8).reshape(*addresses.shape, size)


def update(pointers: Addresses, mask: Any, type: dtype, change: Callable[[Array, tuple], Array]) -> Array:
    """Change elements one after the other; gives what they were, zero where the mask is false.

    `change` takes an element and its lane and gives the new element, or None to leave it.
    """
    _lanes(pointers, mask, type, "atomic access")
    active = np.broadcast_to(np.asarray(True if mask is None else mask), pointers.array.shape)
    result = np.array(from_bits(np.zeros(active.shape, memory_type(type)), type))  # of a scalar, too
    for lane in np.ndindex(*active.shape):
        if not active[lane]:
            continue
        one = Addresses(pointers.array[lane], pointers.buffer)
        old = read(one, None, type)
        result[lane] = old
        new = change(old, lane)
        if new is not None:
            write(one, new, None, type)
    return result
