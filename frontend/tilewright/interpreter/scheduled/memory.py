"""On-chip memory: its bytes, and what is in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np

from ..formats import from_bits, memory_type, to_bits
from .clocks import Agents
from .layouts import Holders
from .report import Report
from .shadow import Access, Shadow
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


class ChipMemory(Shadow):
    """The on-chip memory of a program.

    Attributes:
        content: Its bytes.
    """

    hides_reads = True

    def __init__(self, size: int, granule: int, agents: Agents, report: Report, rng: np.random.Generator) -> None:
        super().__init__("on-chip memory", size, granule, agents, report)
        self.content = rng.integers(0, 256, size, np.uint8)

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

    def store_part(self, buffer: Buffer, value: Array, elements: Array) -> None:
        """Let some elements of a block, by their numbers, be those of a value."""
        places = buffer.type.layout.offsets(buffer.type.shape).reshape(-1)[elements]
        bits = to_bits(value, buffer.type.element).astype(memory_type(buffer.type.element))
        self._view(buffer)[places] = bits.reshape(-1)[elements]

    def fits(self, buffer: Buffer) -> bool:
        """Whether all of a buffer is in the memory."""
        return 0 <= buffer.start and buffer.start + buffer.type.bytes <= len(self.content)

    def grow(self, size: int) -> None:
        """Have more bytes, so that a run can go on."""
        self.content = np.concatenate([self.content, np.zeros(max(0, size - len(self.content)), np.uint8)])
        self.lengthen(size)

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

    def check_content(self, access: Access, last: Array) -> None:
        if not last.all():
            self.tell("uninitialised", access, 0, "reads on-chip memory that nobody has written")
        owners = self.records.owner[last]
        foreign = (owners != access.owner.number) & (last != 0)
        if foreign.any():
            self.tell("overwritten", access, int(last[foreign][0]),
                      "reads a buffer whose bytes were written as another one's since")


@cache
def repeat_lanes(holders: Holders, warp: int, times: int, owned: bool) -> tuple[Array, Array]:
    """The elements that a warp holds, or owns, and their lanes, each lane once for each of an element's granules."""
    elements, lanes = holders.elements[warp], holders.lanes[warp]
    if owned:
        elements, lanes = elements[holders.owned[warp]], lanes[holders.owned[warp]]
    return elements, lanes if times == 1 else np.repeat(lanes, times)
