"""On-chip memory: its bytes, and for each granule of them who wrote and read there last."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np

from ..formats import from_bits, memory_type, to_bits
from .clocks import NEVER, NOBODY, Agents, Warp
from .layouts import Holders
from .report import Report
from .types import BufferType

Array = Any


@dataclass(frozen=True)
class Buffer:
    """A buffer or a block of one.

    Attributes:
        type: What it holds.
        start: Its first byte.
        owner: The operation that allocated it.
    """

    type: BufferType
    start: int
    owner: Any


@dataclass(frozen=True)
class Access:
    """What a warp does, or lets a unit do, to memory.

    Attributes:
        step: The operation.
        warp: Who does it, or starts it.
        agent: Whose access it is.
        epoch: The agent's.
        by_unit: Whether it goes another way than accesses of threads.
        owner: What allocated the memory that is meant.
    """

    step: Any
    warp: Warp
    agent: int
    epoch: int
    by_unit: bool
    owner: Any


class _Records:
    """Accesses by number; 0 stands for none."""

    def __init__(self) -> None:
        self.agent = np.zeros(1024, np.int32)
        self.epoch = np.zeros(1024, np.int32)
        self.owner = np.full(1024, -1, np.int32)
        self.steps: list[Any] = [None]

    def add(self, access: Access) -> int:
        number = len(self.steps)
        if number == len(self.agent):
            for name in ("agent", "epoch", "owner"):
                setattr(self, name, np.concatenate([getattr(self, name)] * 2))
        self.steps.append(access.step)
        self.agent[number] = access.agent
        self.epoch[number] = access.epoch
        self.owner[number] = access.owner.number
        return number


class ChipMemory:
    """The on-chip memory of a program.

    Attributes:
        content: Its bytes.
        granule: How many bytes are watched together; every access covers whole granules.
    """

    def __init__(self, size: int, granule: int, agents: Agents, report: Report, program: tuple[int, int, int],
                 rng: np.random.Generator) -> None:
        self.content = rng.integers(0, 256, size, np.uint8)
        self.granule = granule
        self.agents = agents
        self.report = report
        self.program = program
        count = -(-size // granule)
        self.records = _Records()
        self.writer = np.zeros(count, np.int32)
        self.writing_lane = np.full(count, -1, np.int16)
        self.readers: dict[int, tuple[Array, Array]] = {}

    # --- content ----------------------------------------------------------------------------------------
    def _view(self, buffer: Buffer) -> Array:
        kind = memory_type(buffer.type.element)
        return self.content[buffer.start:buffer.start + buffer.type.block_bytes].view(kind)

    def load(self, buffer: Buffer) -> Array:
        """The elements of a block."""
        bits = self._view(buffer)[buffer.type.layout.offsets(buffer.type.shape)]
        return from_bits(bits, buffer.type.element)

    def store(self, buffer: Buffer, value: Array) -> None:
        """Let a block hold elements."""
        places = buffer.type.layout.offsets(buffer.type.shape)
        self._view(buffer)[places] = to_bits(value, buffer.type.element).astype(memory_type(buffer.type.element))

    def fits(self, buffer: Buffer) -> bool:
        """Whether all of a buffer is in the memory."""
        return 0 <= buffer.start and buffer.start + buffer.type.bytes <= len(self.content)

    def grow(self, size: int) -> None:
        """Have more bytes, so that a run can go on."""
        more = max(0, -(-size // self.granule) - len(self.writer))
        self.content = np.concatenate([self.content, np.zeros(max(0, size - len(self.content)), np.uint8)])
        self.writer = np.concatenate([self.writer, np.zeros(more, np.int32)])
        self.writing_lane = np.concatenate([self.writing_lane, np.full(more, -1, np.int16)])
        self.readers = {agent: (np.concatenate([numbers, np.zeros(more, np.int32)]),
                                np.concatenate([lanes, np.full(more, -1, np.int16)]))
                        for agent, (numbers, lanes) in self.readers.items()}

    # --- who did what -----------------------------------------------------------------------------------
    def granules(self, buffer: Buffer, elements: Array) -> Array:
        """The granules of elements of a block, those of an element one behind the other."""
        times = buffer.type.element.itemsize // self.granule
        places = buffer.type.layout.offsets(buffer.type.shape).reshape(-1)[elements] * times
        places = places + buffer.start // self.granule
        return places if times == 1 else (places[:, None] + np.arange(times)).reshape(-1)

    def all_granules(self, buffer: Buffer) -> Array:
        """The granules of a block."""
        return self.granules(buffer, np.arange(prod(buffer.type.shape)))

    def note(self, access: Access) -> int:
        """The number of an access; `finish` may tell later when it ended."""
        return self.records.add(access)

    def finish(self, number: int, epoch: int) -> None:
        """An access that had no end yet has one."""
        self.records.epoch[number] = epoch

    def read(self, access: Access, number: int, granules: Array, lanes: Array | None) -> None:
        """A read of granules, by lanes or by all of the warp."""
        if not len(granules):
            return
        last = self.writer[granules]
        self._check_order(access, last, self.writing_lane[granules], lanes, "reads", "written")
        self._check_content(access, last)
        self.hold(access, number, granules, lanes)

    def hold(self, access: Access, number: int, granules: Array, lanes: Array | None = None) -> None:
        """What a read leaves behind: later writes have to wait for it."""
        numbers, reading = self._readers_of(access.agent)
        numbers[granules] = number
        reading[granules] = -1 if lanes is None else lanes

    def write(self, access: Access, number: int, granules: Array, lanes: Array | None) -> None:
        """A write of granules."""
        if not len(granules):
            return
        self._check_order(access, self.writer[granules], self.writing_lane[granules], lanes, "writes", "written")
        for numbers, reading in self.readers.values():
            self._check_order(access, numbers[granules], reading[granules], lanes, "writes", "read")
        self.writer[granules] = number
        self.writing_lane[granules] = -1 if lanes is None else lanes

    def _readers_of(self, agent: int) -> tuple[Array, Array]:
        if agent not in self.readers:
            self.readers[agent] = np.zeros(len(self.writer), np.int32), np.full(len(self.writer), -1, np.int16)
        return self.readers[agent]

    def _check_order(self, access: Access, others: Array, other_lanes: Array, lanes: Array | None, verb: str,
                     done: str) -> None:
        """Report where an access is not ordered after others."""
        agents, epochs = self.records.agent[others], self.records.epoch[others]
        late = epochs > access.warp.known[agents]
        if lanes is not None:  # a thread's own accesses are in order
            late &= ~((agents == access.warp.agent) & (other_lanes == lanes) & (lanes >= 0))
        if late.any():
            self._report("race", access, int(others[late][0]), f"{verb} on-chip memory that may still be {done}")
        elif access.by_unit and done == "written":
            hidden = epochs > access.warp.visible_to_units()[agents]
            if hidden.any():
                self._report("unpublished", access, int(others[hidden][0]),
                             f"a unit {verb} what threads have written, but not published")

    def _check_content(self, access: Access, last: Array) -> None:
        if not last.all():
            self._report("uninitialised", access, 0, "reads on-chip memory that nobody has written")
        owners = self.records.owner[last]
        foreign = (owners != access.owner.number) & (last != NOBODY)
        if foreign.any():
            self._report("overwritten", access, int(last[foreign][0]),
                         "reads a buffer whose bytes were written as another one's since")

    def _report(self, kind: str, access: Access, other: int, text: str) -> None:
        step = self.records.steps[other]
        against = f" by {self.agents.names[self.records.agent[other]]}, {step}" if step else ""
        self.report.add(kind, f"{access.step.name} of {self.agents.names[access.agent]} {text}{against}", self.program,
                        access.step, step)


@cache
def repeat_lanes(holders: Holders, warp: int, times: int, owned: bool) -> tuple[Array, Array]:
    """The elements that a warp holds, or owns, and their lanes, each lane once for each of an element's granules."""
    elements, lanes = holders.elements[warp], holders.lanes[warp]
    if owned:
        elements, lanes = elements[holders.owned[warp]], lanes[holders.owned[warp]]
    return elements, lanes if times == 1 else np.repeat(lanes, times)


__all__ = ["NEVER", "Access", "Buffer", "ChipMemory", "repeat_lanes"]
