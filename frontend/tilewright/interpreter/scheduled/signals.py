"""Signals: counters on chip that roles arrive at and wait for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..record import Operation
from .buffers import block_of
from .clocks import NEVER, Warp
from .memory import Buffer
from .roles import Role, Wait, Walk, flows, schedules
from .shadow import Access

Array = Any
BYTES = 8  # of a signal


class Signal:
    """One of them.

    Attributes:
        agent: The copies that it counts; an epoch is a phase.
        completed: Phases that are complete.
        missing: Arrivals that the current phase still takes.
        bytes: What copies are expected to bring in the current phase and have not yet.
    """

    def __init__(self, role: Role, op: Operation, name: str, arrivals: int) -> None:
        self.op = op
        self.name = name
        self.agent = role.world.agents.add(f"copies that {name} counts", False)
        self.arrivals = self.missing = arrivals
        self.completed = 0
        self.bytes = 0
        clock = role.world.agents.clock
        self._phase = clock(), clock()  # what arrives makes known in the current phase, and in those before
        self._released = clock(), clock()

    def has_completed(self, parity: int) -> bool:
        """Whether the latest phase of a parity is complete; of a new signal that of parity 1 is."""
        return self.completed & 1 != parity

    def arrive(self, known: Array, published: Array) -> bool:
        """One arrival, and what it makes known; false if the phase does not take it."""
        for into, clock in zip(self._phase, (known, published), strict=True):
            np.maximum(into, clock, out=into)
        self.missing -= 1
        is_due = self.missing >= 0
        self._advance()
        return is_due

    def count(self, difference: int) -> None:
        """Expect more bytes, or count some that have come."""
        self.bytes += difference
        self._advance()

    def teach(self, warp: Warp) -> None:
        """Let a warp know what the completed phases made known."""
        warp.learn(*self._released)

    def _advance(self) -> None:
        if self.missing > 0 or self.bytes != 0:
            return
        self.completed += 1
        self.missing = self.arrivals
        for into, clock in zip(self._released, self._phase, strict=True):
            np.maximum(into, clock, out=into)
            into[self.agent] = self.completed
            clock[:] = 0

    def __str__(self) -> str:
        return (f"{self.name}, which has completed {self.completed} phases and lacks {self.missing} arrivals and "
                f"{self.bytes} bytes")


class Signals:
    """An array of signals.

    Attributes:
        creation: Who made them, and in which epoch: others have to know before they use them.
    """

    def __init__(self, role: Role, op: Operation, count: int) -> None:
        self.op = op
        self.creation = role.warps[0].agent, role.warps[0].epoch
        places = [str(step.number) for step in role.world.kernel.steps if step.name == op.name]
        name = f"signals {places.index(str(op.number))}"  # type: ignore[attr-defined]
        self.items = [Signal(role, op, f"{name}[{i}]", op.attributes["arrivals"]) for i in range(count)]


@schedules("tile.signal_alloc")
def _allocate(role: Role, op: Operation) -> Signals:
    count = op.results[0].kind.count  # type: ignore[attr-defined]
    memory, start = role.world.memory, op.attributes.get("offset")
    if start is not None:
        if start + BYTES * count > len(memory.content):
            role.world.find("out of bounds", f"{op.name}: bytes {start} to {start + BYTES * count} of "
                            f"{len(memory.content)} on chip", op)  # type: ignore[arg-type]
            memory.grow(start + BYTES * count)
        # Whatever else is done to these bytes is never in order.
        access = Access(op, role.warps[0], role.warps[0].stores, NEVER, owner=op)
        granules = np.arange(start // memory.granule, (start + BYTES * count) // memory.granule)
        memory.begin()
        memory.write(access, memory.note(access), granules, None)
    return Signals(role, op, count)


def signal_of(role: Role, op: Any, signals: Signals, index: Array) -> Signal:
    """A signal that an operation uses; one that there is not is reported, and the nearest taken."""
    place = int(index)
    if not 0 <= place < len(signals.items):
        role.world.find("out of bounds", f"{op.name}: signal {place} of {len(signals.items)}", op)
        place = min(max(place, 0), len(signals.items) - 1)
    agent, epoch = signals.creation
    if any(warp.known[agent] < epoch for warp in role.warps):
        role.world.find("race", f"{op.name} of {role.name} uses signals before it is ordered that they are there", op,
                        signals.op)
    return signals.items[place]


@flows("tile.acquire")
def _acquire(role: Role, op: Any, signals: Signals, index: Array, phase: Array, *stacks: Buffer) -> Walk:
    signal, parity = signal_of(role, op, signals, index), int(phase)
    note_waiting(role, op, signals)
    yield None
    if not signal.has_completed(parity):
        yield Wait(lambda: signal.has_completed(parity), lambda: f"parity {parity} of {signal}", op)
    for warp in role.warps[:1] if "alone" in op.attributes else role.warps:
        signal.teach(warp)
        if "publish" in op.attributes:
            warp.learn(warp.known, warp.known)
    return _only([block_of(role, op, stack, int(index)) for stack in stacks])


def note_waiting(role: Role, op: Any, signals: Signals) -> None:
    """Report a wait of warps that have left out some before: they know a phase by its parity alone."""
    if "alone" in op.attributes:
        role.skipped.add(signals)
    elif signals in role.skipped:
        role.world.find("race", f"warps of {role.name} have left out phases of {signals.items[0].name} and have not "
                        "met since: they may take an earlier phase for this one", op, signals.op)


@flows("tile.arrive")
def _arrive(role: Role, op: Any, signals: Signals, index: Array) -> Walk:
    signals_of_all = everywhere(role, op, 0) if "everywhere" in op.attributes else [signals]
    reached = [signal_of(role, op, each, index) for each in signals_of_all]
    yield None
    for warp in role.warps:
        warp.release()
        if "publish" in op.attributes:
            warp.learn(warp.known, warp.known)
        for signal in reached:
            count_arrival(role, op, signal, warp.known, warp.published)


def everywhere(role: Role, op: Operation, operand: int) -> list[Signals]:
    """The signals that an operand names in each thread block of the program."""
    return [world.values[op.operands[operand]] for world in role.world.cluster.worlds]


@flows("tile.expect")
def _expect(role: Role, op: Any, signals: Signals, index: Array) -> Walk:
    signal = signal_of(role, op, signals, index)
    yield None
    if role.is_single_thread:
        role.warps[0].release()
    signal.bytes += op.attributes["bytes"]  # before the arrival, so that it does not end the phase
    for _ in range(op.attributes.get("arrivals", 1)):
        count_arrival(role, op, signal, role.warps[0].known, role.warps[0].published)


def count_arrival(role: Role, op: Any, signal: Signal, known: Array, published: Array) -> None:
    """An arrival, and what it makes known; one too many is reported."""
    if not signal.arrive(known, published):
        role.world.find("deadlock", f"{op.name} of {role.name} is one arrival more than a phase of {signal.name} "
                        "takes", op, signal.op)


def _only(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else tuple(values)
