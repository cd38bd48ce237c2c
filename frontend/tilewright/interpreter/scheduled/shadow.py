"""What is remembered of a memory: for each granule of bytes, who wrote and read there last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .clocks import Agents, Warp
from .report import Report

Array = Any


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
        is_atomic: Whether it is in order with others that are atomic.
        is_within_warps: Whether each warp has a part of its own of what the owner accesses.
    """

    step: Any
    warp: Warp
    agent: int
    epoch: int
    by_unit: bool = False
    owner: Any = None
    is_atomic: bool = False
    is_within_warps: bool = False


class _Records:
    """Accesses by number; 0 stands for none."""

    COLUMNS = {"agent": np.int32, "epoch": np.int32, "owner": np.int32, "is_atomic": np.bool_}

    def __init__(self) -> None:
        for name, kind in self.COLUMNS.items():
            setattr(self, name, np.zeros(1024, kind))
        self.owner[0] = -1
        self.steps: list[Any] = [None]

    agent: Array
    epoch: Array
    owner: Array
    is_atomic: Array

    def add(self, access: Access) -> int:
        number = len(self.steps)
        if number == len(self.agent):
            for name in self.COLUMNS:
                setattr(self, name, np.concatenate([getattr(self, name)] * 2))
        self.steps.append(access.step)
        self.agent[number] = access.agent
        self.epoch[number] = access.epoch
        self.owner[number] = -1 if access.owner is None else access.owner.number
        self.is_atomic[number] = access.is_atomic
        return number


class Shadow:
    """Watches a memory.

    Attributes:
        what: What it is called.
        granule: How many bytes are watched together; every access covers whole granules.
        oldest: Accesses before this number are over.
        first: Accesses from this number on are of the operation at hand, and not in conflict with each other.
        hides_reads: Whether units have to be told of reads of threads too: these are under way when threads go on.
    """

    hides_reads = False

    def __init__(self, what: str, size: int, granule: int, agents: Agents, report: Report) -> None:
        self.what = what
        self.granule = granule
        self.agents = agents
        self.report = report
        self.program = (0, 0, 0)
        self.records = _Records()
        self.oldest = self.first = 1
        count = -(-size // granule)
        self.writer = np.zeros(count, np.int32)
        self.writing_lane = np.full(count, -1, np.int16)
        self.readers: dict[int, tuple[Array, Array]] = {}

    def forget(self, program: tuple[int, int, int], agents: Agents) -> None:
        """Whatever was done is over: another program begins."""
        self.program, self.agents = program, agents
        self.oldest = len(self.records.steps)

    def lengthen(self, size: int) -> None:
        """Watch more bytes."""
        more = max(0, -(-size // self.granule) - len(self.writer))
        self.writer = np.concatenate([self.writer, np.zeros(more, np.int32)])
        self.writing_lane = np.concatenate([self.writing_lane, np.full(more, -1, np.int16)])
        self.readers = {agent: (np.concatenate([numbers, np.zeros(more, np.int32)]),
                                np.concatenate([lanes, np.full(more, -1, np.int16)]))
                        for agent, (numbers, lanes) in self.readers.items()}

    def begin(self) -> None:
        """An operation begins whose accesses follow."""
        self.first = len(self.records.steps)

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
        self.check_content(access, last)
        self.hold(access, number, granules, lanes)

    def hold(self, access: Access, number: int, granules: Array, lanes: Array | None = None) -> None:
        """What a read leaves behind: later writes have to wait for it."""
        if access.agent not in self.readers:
            self.readers[access.agent] = (np.zeros(len(self.writer), np.int32),
                                          np.full(len(self.writer), -1, np.int16))
        numbers, reading = self.readers[access.agent]
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

    def check_content(self, access: Access, last: Array) -> None:
        """Report reads of what should not be there; `last` are the writes before."""

    def _check_order(self, access: Access, others: Array, other_lanes: Array, lanes: Array | None, verb: str,
                     done: str) -> None:
        """Report where an access is not ordered after others."""
        agents, epochs = self.records.agent[others], self.records.epoch[others]
        late = (epochs > access.warp.known[agents]) & (self.oldest <= others) & (others < self.first)
        if lanes is not None:  # a thread's own accesses are in order, and copies that it has waited for
            warp = access.warp
            own = (agents == warp.agent) | ((agents == warp.copies) & (epochs <= warp.awaited))
            late &= ~(own & (other_lanes == lanes) & (lanes >= 0))
        if access.is_atomic:
            late &= ~self.records.is_atomic[others]
        if access.is_within_warps:
            late &= self.records.owner[others] != access.owner.number
        if late.any():
            self.tell("race", access, int(others[late][0]), f"{verb} {self.what} that may still be {done}")
        elif access.by_unit and (done == "written" or self.hides_reads):
            hidden = (epochs > access.warp.visible_to_units()[agents]) & (others >= self.oldest)
            if hidden.any():
                self.tell("unpublished", access, int(others[hidden][0]),
                          f"{verb} what threads have {done}, but not published")

    def tell(self, kind: str, access: Access, other: int, text: str) -> None:
        """Report something, perhaps with the access that it conflicts with."""
        step = self.records.steps[other]
        against = f" by {self.agents.names[self.records.agent[other]]}, {step}" if step else ""
        self.report.add(kind, f"{access.step.name} of {self.agents.names[access.agent]} {text}{against}", self.program,
                        access.step, step)
