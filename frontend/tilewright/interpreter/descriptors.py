"""Descriptors of arrays, and accesses that other programs see as one step."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..language.types import tensor_descriptor_type
from .blocks import combine
from .formats import fit
from .machine import Machine, evaluates
from .memory import AccessError, Addresses, read, write
from .record import Operation

Array = Any


@dataclass(frozen=True)
class Description:
    """A descriptor: the address of an array, its sizes, and the strides of all dimensions but the last."""

    base: Addresses
    sizes: tuple[int, ...]
    strides: tuple[int, ...]


def _type_of(op: Operation) -> tensor_descriptor_type:
    """The descriptor that an operation accesses."""
    return op.operands[0].type  # type: ignore[return-value]


@evaluates("tile.make_descriptor")
def _make(machine: Machine, op: Operation, base: Addresses, *numbers: Array) -> Description:
    rank = len(op.results[0].type.block_shape)
    values = [int(number) for number in numbers]
    return Description(base, tuple(values[:rank]), tuple(values[rank:]))


@evaluates("ub.poison")
def _poison(machine: Machine, op: Operation) -> None:
    """A value that nothing reads."""


@evaluates("tile.descriptor_size")
def _size(machine: Machine, op: Operation, desc: Description) -> Array:
    return fit(np.asarray(desc.sizes[op.attributes["dim"]]), op.results[0].type)


@evaluates("tile.descriptor_stride")
def _stride(machine: Machine, op: Operation, desc: Description) -> Array:
    return fit(np.asarray(desc.strides[op.attributes["dim"]]), op.results[0].type)


# --- access ---------------------------------------------------------------------------------------------
def _places(kind: tensor_descriptor_type, desc: Description, indices: Sequence[Array]) -> tuple[Addresses, Array]:
    """The addresses of the elements at indices, one array for each dimension, and which are in the array."""
    rank = len(indices)
    inside, offsets = np.asarray(True), np.asarray(0, np.int64)
    for dim, (index, extent, stride) in enumerate(zip(indices, desc.sizes, (*desc.strides, 1), strict=True)):
        line = np.asarray(index, np.int64).reshape([-1 if axis == dim else 1 for axis in range(rank)])
        inside = inside & (line >= 0) & (line < extent)
        offsets = offsets + line * stride
    size = kind.element_ty.itemsize
    return desc.base.map(lambda address: address + offsets * size), inside


def places_of_block(kind: tensor_descriptor_type, desc: Description,
                    offsets: Sequence[Array]) -> tuple[Addresses, Array]:
    """The block whose first element is at offsets, as addresses, and which of them are in the array.

    Sums of 32 bits wrap.
    """
    lines = [(np.asarray(offset).astype(np.int32) + np.arange(size, dtype=np.int32))
             for offset, size in zip(offsets, kind.block_shape, strict=True)]
    return _places(kind, desc, lines)


def read_block(kind: tensor_descriptor_type, places: Addresses, inside: Array) -> Array:
    """The elements at addresses, and what stands for those outside of the array."""
    loaded = read(places, inside, kind.element_ty)
    if kind.nan_padding:
        loaded = np.where(inside, loaded, np.asarray(np.nan, loaded.dtype))
    return _round_to_tf32(loaded) if kind.round_f32_to_tf32 else loaded


def _round_to_tf32(x: Array) -> Array:
    bits = np.ascontiguousarray(x).view(np.uint32)
    rounded = (bits + np.uint32(0xFFF) + (bits >> np.uint32(13) & np.uint32(1))) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(x), rounded.view(np.float32), x)


@evaluates("tile.descriptor_load")
def _load(machine: Machine, op: Operation, desc: Description, *offsets: Array) -> Array:
    return read_block(_type_of(op), *places_of_block(_type_of(op), desc, offsets))


@evaluates("tile.descriptor_store")
def _store(machine: Machine, op: Operation, desc: Description, *operands: Array) -> None:
    *offsets, value = operands
    places, inside = places_of_block(_type_of(op), desc, offsets)
    write(places, value, inside, _type_of(op).element_ty)


@evaluates("tile.descriptor_reduce")
def _reduce(machine: Machine, op: Operation, desc: Description, *operands: Array) -> None:
    *offsets, value = operands
    places, inside = places_of_block(_type_of(op), desc, offsets)
    combine(op, places, value, inside, _type_of(op).element_ty)


def _rows(op: Operation, desc: Description, rows: Array, column: Array) -> tuple[Addresses, Array]:
    kind = _type_of(op)
    return _places(kind, desc, [rows, int(column) + np.arange(kind.block_shape[1])])


@evaluates("tile.descriptor_gather")
def _gather(machine: Machine, op: Operation, desc: Description, rows: Array, column: Array) -> Array:
    return read_block(_type_of(op), *_rows(op, desc, rows, column))


@evaluates("tile.descriptor_scatter")
def _scatter(machine: Machine, op: Operation, desc: Description, rows: Array, column: Array, value: Array) -> None:
    places, inside = _rows(op, desc, rows, column)
    write(places, value, inside, _type_of(op).element_ty)


# --- ordered accesses -------------------------------------------------------------------------------------
@evaluates("tile.atomic_load")
def _ordered_load(machine: Machine, op: Operation, pointers: Addresses, mask: Array | None = None) -> Array:
    return read(pointers, mask, op.results[0].type)


@evaluates("tile.atomic_store")
def _ordered_store(machine: Machine, op: Operation, pointers: Addresses, value: Array,
                   mask: Array | None = None) -> None:
    write(pointers, value, mask, op.operands[0].type.scalar.element_ty)


@evaluates("tile.atomic_poll")
def _poll(machine: Machine, op: Operation, pointer: Addresses, expected: Array, timeout: Array | None = None) -> Array:
    """Nothing changes while a program waits: the others have ended, or not begun."""
    found = read(pointer, None, op.operands[1].type)
    if found == expected or timeout is not None:
        return np.asarray(found == expected)
    raise AccessError("atomic_poll would wait forever: programs are interpreted one after the other")


@evaluates("tile.timer")
def _timer(machine: Machine, op: Operation) -> Array:
    return np.asarray(time.monotonic_ns(), np.int64)
