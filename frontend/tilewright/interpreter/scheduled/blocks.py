"""Copies of whole blocks between arrays and on-chip memory, which one thread of a role starts."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..blocks import combine
from ..descriptors import Description, places_of_block, read_block
from ..memory import write
from ..record import Operation
from .arrays import note_block
from .clocks import NEVER, Warp, meet
from .layouts import parse_layout
from .made_descriptors import read_descriptor
from .memory import Buffer, ChipMemory
from .roles import Role, Walk, flows, schedules
from .shadow import Access
from .signals import Signal, everywhere, signal_of

Array = Any


@flows("tile.block_copy")
def _copy(role: Role, op: Any, desc: Description, *operands: Any) -> Walk:
    *offsets, buffer, signals, index = operands
    worlds, signals_of_all = [role.world], [signals]
    if "everywhere" in op.attributes:
        worlds, signals_of_all = role.world.cluster.worlds, everywhere(role, op, len(op.operands) - 2)
    reached = [signal_of(role, op, each, index) for each in signals_of_all]
    yield None
    for world, signal in zip(worlds, reached, strict=True):
        _copy_to(role, op, world.memory, signal, desc, offsets, buffer)


def _copy_to(role: Role, op: Any, memory: ChipMemory, signal: Signal, desc: Description, offsets: Sequence[Array],
             buffer: Buffer) -> None:
    """Start a copy to a thread block's memory."""
    elements = _share(role, op, buffer.type.shape)
    access = Access(op, role.warps[0], signal.agent, NEVER, True, buffer.owner)
    memory.begin()
    number = memory.note(access)
    memory.write(access, number, memory.granules(buffer, elements), None)

    end_of_descriptor = read_descriptor(role, desc, Access(op, role.warps[0], signal.agent, NEVER))
    kind = op.operands[0].type
    places, inside = places_of_block(kind, desc, offsets)
    reading = note_block(role, access, desc, places, inside, kind.element_ty.itemsize, False)

    def end() -> None:
        memory.store_part(buffer, read_block(kind, places, inside), elements)
        memory.finish(number, signal.completed + 1)
        end_of_descriptor(signal.completed + 1)
        if reading:
            reading[0].finish(reading[1], signal.completed + 1)
        signal.count(-elements.size * buffer.type.element.itemsize)

    role.world.cluster.in_flight.append((op, end))


def _share(role: Role, op: Any, shape: tuple[int, ...]) -> Array:
    """The elements of a block, by their numbers, that this thread block copies: what its descriptor's boxes are
    smaller by says along which dimension the shares follow each other."""
    elements = np.arange(prod(shape)).reshape(shape)
    if "everywhere" in op.attributes:
        kernel = role.world.kernel
        described = kernel.descriptors[kernel.entry.arguments.index(op.operands[0]) - len(kernel.passed)]
        shorter = (dim for dim in range(len(shape) - 1) if described["block"][dim] != shape[dim])
        elements = np.split(elements, kernel.parts, next(shorter, len(shape) - 1))[role.world.part]
    return elements.reshape(-1)


class Store:
    """A store of a block in flight, or of the part of it that a warp has.

    Attributes:
        number: Its place among the role's, from 1; parts of a block share it.
        warp: Who started it.
    """

    def __init__(self, role: Role, op: Operation, warp: Warp, buffer: Buffer, desc: Description,
                 offsets: tuple[Array, ...], elements: Array) -> None:
        self.op = op
        self.number = role.started_stores
        self.warp = warp
        self.memory = role.world.memory
        self.buffer = buffer
        places, inside = places_of_block(op.operands[1].type, desc, offsets)
        part = np.zeros(places.array.shape, bool)
        part.reshape(-1)[elements] = True
        self.places = places, part & inside
        self.is_done = False

    def end(self) -> None:
        """Write what the buffer holds."""
        if self.is_done:
            return
        self.is_done = True
        value, element = self.memory.load(self.buffer), self.op.operands[1].type.element_ty
        places, inside = self.places
        if "kind" in self.op.attributes:
            combine(self.op, places, value, inside, element)
        else:
            write(places, value, inside, element)


@flows("tile.block_store")
def _store(role: Role, op: Any, buffer: Buffer, desc: Description, *offsets: Array) -> Walk:
    yield None
    role.started_stores += 1
    if "parts" not in op.attributes:
        _start_store(role, op, role.warps[0], buffer, desc, offsets, np.arange(prod(buffer.type.shape)))
    else:
        holders = parse_layout(op.attributes["parts"]).holders(buffer.type.shape)
        for warp, elements in zip(role.warps, holders.elements, strict=True):
            meet([warp], publish=True)
            _start_store(role, op, warp, buffer, desc, offsets, elements)
    if role.world.schedule.is_early():
        for each in role.stores:
            each.end()


def _start_store(role: Role, op: Any, warp: Warp, buffer: Buffer, desc: Description, offsets: tuple[Array, ...],
                 elements: Array) -> None:
    """Let a warp start the store of some elements."""
    memory = role.world.memory
    access = Access(op, warp, warp.stores, role.started_stores, True, buffer.owner)
    memory.begin()
    memory.read(access, memory.note(access), memory.granules(buffer, elements), None)
    read_descriptor(role, desc, Access(op, warp, warp.stores, role.started_stores))
    store = Store(role, op, warp, buffer, desc, offsets, elements)
    role.stores.append(store)
    writing = Access(op, warp, warp.writes, role.started_stores, is_atomic="kind" in op.attributes)
    note_block(role, writing, desc, *store.places, op.operands[1].type.element_ty.itemsize, True)


@schedules("tile.await_block_stores")
def _await(role: Role, op: Operation) -> None:
    complete = role.started_stores - op.attributes["inFlight"]
    for warp in role.warps if "byWarps" in op.attributes else role.warps[:1]:
        warp.complete(warp.stores, complete)
        if "written" in op.attributes:
            warp.complete(warp.writes, complete)
        for store in role.stores:
            if store.number <= complete and store.warp is warp:
                store.end()
    role.stores = [store for store in role.stores if not store.is_done]


def end_stores(role: Role) -> None:
    """What is in flight when a role ends."""
    for store in role.stores:
        store.end()
        role.world.find("not awaited", f"{role.name} ends while a store still reads on-chip memory", store.op)
    role.stores = []
