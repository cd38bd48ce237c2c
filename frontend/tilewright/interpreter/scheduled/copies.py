"""Asynchronous copies by threads: they end at any time before they are awaited."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..memory import Addresses, read
from ..record import Operation
from .arrays import note_accesses
from .buffers import by_threads
from .memory import Buffer
from .roles import Role, Walk, flows, schedules
from .signals import count_arrival, signal_of

Array = Any


class Copy:
    """A copy in flight.

    Attributes:
        op: What started it.
        group: The number of its group, from 1.
    """

    def __init__(self, role: Role, op: Operation, pointers: Addresses, buffer: Buffer, mask: Array | None) -> None:
        self.op = op
        self.group = role.closed_groups + 1
        self.memory = role.world.memory
        self.source = (pointers, mask)
        self.buffer = buffer
        self.is_done = False

    def end(self) -> None:
        """Bring the data."""
        if not self.is_done:
            self.is_done = True
            self.memory.store(self.buffer, read(*self.source, self.buffer.type.element))


@schedules("tile.async_copy")
def _copy(role: Role, op: Operation, pointers: Addresses, buffer: Buffer, mask: Array | None = None) -> Copy:
    pointers = pointers.map(lambda array: np.broadcast_to(array, buffer.type.shape))
    copy = Copy(role, op, pointers, buffer, mask)
    by_threads(role, op, buffer, op.kind(0), True, role.world.memory.write,  # type: ignore[attr-defined]
               lambda warp: (warp.copies, copy.group))
    note_accesses(role, op, pointers, mask, False, stream=lambda warp: (warp.copies, copy.group))
    if role.world.schedule.is_early():
        copy.end()
    role.copies.append(copy)
    return copy


@schedules("tile.commit")
def _commit(role: Role, op: Operation, *pending: Copy) -> Any:
    role.closed_groups += 1
    return pending[0] if len(pending) == 1 else pending


@schedules("tile.await")
def _await(role: Role, op: Operation, *pending: Copy) -> Any:
    complete = role.closed_groups - op.attributes["inFlight"]
    for warp in role.warps:
        warp.awaited = max(warp.awaited, complete)
    for copy in role.copies:
        if copy.group <= complete:
            copy.end()
    role.copies = [copy for copy in role.copies if copy.group > complete]
    buffers = tuple(copy.buffer for copy in pending)
    return buffers[0] if len(buffers) == 1 else buffers


@flows("tile.arrive_copies")
def _arrive(role: Role, op: Any, *operands: Any) -> Walk:
    *_, signals, index = operands
    signal = signal_of(role, op, signals, index)
    yield None
    role.closed_groups += 1
    group, copies, role.copies = role.closed_groups, role.copies, []

    def end() -> None:
        for copy in copies:
            copy.end()
        nothing = role.world.agents.clock()
        for warp in role.warps:
            known = role.world.agents.clock()
            known[warp.copies] = group
            for _ in range(role.world.kernel.lanes):
                count_arrival(role, op, signal, known, nothing)

    role.world.cluster.in_flight.append((op, end))


def end_copies(role: Role) -> None:
    """What is in flight when a role ends."""
    for copy in role.copies:
        copy.end()
        role.world.find("not awaited", f"{role.name} ends while a copy to on-chip memory is in flight", copy.op)
    role.copies = []
