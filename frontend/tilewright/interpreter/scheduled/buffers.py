"""Buffers: where they lie, and accesses of threads to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..record import Operation
from .memory import Buffer, repeat_lanes
from .roles import Role, schedules
from .shadow import Access
from .types import layout_of

Array = Any


@schedules("tile.buffer_alloc")
def _allocate(role: Role, op: Operation) -> Buffer:
    kind = op.results[0].kind  # type: ignore[attr-defined]
    start = op.attributes.get("offset", role.world.kernel.places.get(op.number))  # type: ignore[attr-defined]
    buffer = Buffer(kind, start, op)
    require_inside(role, op, buffer)
    return buffer


@schedules("tile.buffer_view")
def _view(role: Role, op: Operation, stack: Buffer, index: Array) -> Buffer:
    return block_of(role, op, stack, int(index))


@schedules("tile.buffer_transpose")
def _transpose(role: Role, op: Operation, buffer: Buffer) -> Buffer:
    return Buffer(op.results[0].kind, buffer.start, buffer.owner)  # type: ignore[attr-defined]


def block_of(role: Role, op: Operation, stack: Buffer, index: int) -> Buffer:
    """A block of a stack; one that there is not is reported, and the nearest taken."""
    assert stack.type.blocks is not None
    if not 0 <= index < stack.type.blocks:
        role.world.find("out of bounds", f"{op.name}: block {index} of a stack of {stack.type.blocks}", op)
        index = min(max(index, 0), stack.type.blocks - 1)
    return Buffer(stack.type.block(), stack.start + index * stack.type.block_bytes, stack.owner)


def require_inside(role: Role, op: Operation, buffer: Buffer) -> None:
    """Report a buffer that is not in the memory that the program has."""
    memory = role.world.memory
    if not memory.fits(buffer):
        role.world.find("out of bounds", f"{op.name}: bytes {buffer.start} to {buffer.start + buffer.type.bytes} of "
                        f"{len(memory.content)} on chip", op)
        memory.grow(buffer.start + buffer.type.bytes)


def by_threads(role: Role, op: Any, buffer: Buffer, block: Any, owned: bool, touch: Callable[..., None],
               stream: Callable[[Any], tuple[int, int]] = lambda warp: (warp.agent, warp.epoch)) -> None:
    """Note what each warp does to a buffer, whose elements its threads hold as a block of the IR's type says.

    Args:
        owned: Whether of warps that hold copies one counts.
        touch: `ChipMemory.read` or `write`.
        stream: The agent and epoch of a warp's access.
    """
    layout = layout_of(block)
    assert layout is not None
    holders = layout.holders(buffer.type.shape)
    role.world.memory.begin()
    for warp, place in zip(role.warps, range(len(holders.elements)), strict=False):
        agent, epoch = stream(warp)
        access = Access(op, warp, agent, epoch, owner=buffer.owner)
        times = buffer.type.element.itemsize // role.world.memory.granule
        elements, lanes = repeat_lanes(holders, place, times, owned)
        touch(access, role.world.memory.note(access), role.world.memory.granules(buffer, elements), lanes)


@schedules("tile.buffer_load")
def _load(role: Role, op: Operation, buffer: Buffer) -> Array:
    by_threads(role, op, buffer, op.results[0].kind, False, role.world.memory.read)  # type: ignore[attr-defined]
    return role.world.memory.load(buffer)


@schedules("tile.buffer_store")
def _store(role: Role, op: Operation, value: Array, buffer: Buffer) -> None:
    by_threads(role, op, buffer, op.kind(0), True, role.world.memory.write)  # type: ignore[attr-defined]
    role.world.memory.store(buffer, np.broadcast_to(value, buffer.type.shape))


@schedules("tile.barrier")
def _barrier(role: Role, op: Operation) -> None:
    role.meet("publish" in op.attributes)


@schedules("tile.convert_layout")
def _convert(role: Role, op: Operation, value: Any) -> Any:
    return value
