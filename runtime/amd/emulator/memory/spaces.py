"""The memories that a wave sees, every access checked.

All of them load and store whole lanes at once: addresses of the active lanes in, an array of
(lane, byte) out.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..errors import IllegalExecution, MemoryFault
from ..values.numeric import MASK32
from ..wave import Wave
from .lds_races import RaceDetector

_POISON = 0xA5
_NEAR = 65536


class Memory(Protocol):
    """What loads, stores and atomics work on."""

    def load(self, wave: Wave, addresses: Any, size: int) -> Any: ...

    def store(self, wave: Wave, addresses: Any, data: Any) -> None: ...

    def load_atomic(self, wave: Wave, addresses: Any, size: int) -> Any: ...

    def store_atomic(self, wave: Wave, addresses: Any, data: Any) -> None: ...


@dataclass
class Region:
    """An allocation that kernels may touch."""

    base: int
    size: int
    name: str
    writable: bool = True
    content: Any = field(init=False)
    words: Any = field(init=False)

    def __post_init__(self) -> None:
        raw = (ctypes.c_uint8 * self.size).from_address(self.base) if self.size else b""
        self.content = np.frombuffer(raw, np.uint8)
        self.words = self.content[: self.size & ~3].view(np.uint32)

    def contains(self, start: int, end: int) -> bool:
        return self.base <= start and end <= self.base + self.size


def _byte_index(offsets: Any, size: int) -> Any:
    return offsets[:, None] + np.arange(size)


class HostMemory:
    """Global memory: allocations of the host, which its owner keeps alive."""

    def __init__(self) -> None:
        self._regions: list[Region] = []
        self._last: Region | None = None

    def add(self, base: int, size: int, name: str, writable: bool = True) -> None:
        """Let kernels touch ``size`` bytes at ``base``."""
        self._regions.append(Region(base, size, name, writable))

    def add_array(self, array: np.ndarray, name: str) -> None:
        self.add(array.ctypes.data, array.nbytes, name, array.flags.writeable)

    def load(self, wave: Wave, addresses: Any, size: int) -> Any:
        result = np.empty((len(addresses), size), np.uint8)
        for region, lanes, offsets in self._parts(addresses, size, "load"):
            if self._is_word_access(region, offsets, size):
                words = region.words[_byte_index(offsets >> 2, size // 4)]
                result.view(np.uint32)[lanes] = words
            else:
                result[lanes] = region.content[_byte_index(offsets, size)]
        return result

    def store(self, wave: Wave, addresses: Any, data: Any) -> None:
        size = data.shape[1]
        for region, lanes, offsets in self._parts(addresses, size, "store"):
            if not region.writable:
                raise MemoryFault(f"store to {region.name}, which is read-only")
            if self._is_word_access(region, offsets, size):
                words = np.ascontiguousarray(data[lanes]).view(np.uint32)
                region.words[_byte_index(offsets >> 2, size // 4)] = words
            else:
                region.content[_byte_index(offsets, size)] = data[lanes]

    # Workgroups and waves run one after another, so nothing can come between an atomic's halves.
    load_atomic, store_atomic = load, store

    def read(self, address: int, size: int) -> bytes:
        """A scalar load."""
        region = self._find(address, address + size)
        if region is None:
            raise MemoryFault(self._describe("scalar load", 1, size, address))
        offset = address - region.base
        return region.content[offset : offset + size].tobytes()

    @staticmethod
    def _is_word_access(region: Region, offsets: Any, size: int) -> bool:
        return size % 4 == 0 and region.base % 4 == 0 and not (offsets & 3).any()

    def _find(self, start: int, end: int) -> Region | None:
        if self._last is not None and self._last.contains(start, end):
            return self._last
        for region in self._regions:
            if region.contains(start, end):
                self._last = region
                return region
        return None

    def _parts(self, addresses: Any, size: int, what: str) -> Iterator[tuple[Region, Any, Any]]:
        """Split an access by region: (region, its lanes, their offsets)."""
        if not len(addresses):
            return
        region = self._find(int(addresses.min()), int(addresses.max()) + size)
        if region is not None:
            yield region, slice(None), (addresses - np.uint64(region.base)).astype(np.int64)
            return
        owners = self._owners(addresses, size, what)
        for position in np.unique(owners):
            region, lanes = self._regions[position], owners == position
            yield region, lanes, (addresses[lanes] - np.uint64(region.base)).astype(np.int64)

    def _owners(self, addresses: Any, size: int, what: str) -> Any:
        """Index of the region of each lane; all of them are found before any is accessed."""
        owners = np.full(len(addresses), -1)
        for position, region in enumerate(self._regions):
            if region.size < size:
                continue
            first, last = np.uint64(region.base), np.uint64(region.base + region.size - size)
            owners[(owners < 0) & (addresses >= first) & (addresses <= last)] = position
        missing = owners < 0
        if missing.any():
            address = int(addresses[missing][0])
            raise MemoryFault(self._describe(what, int(missing.sum()), size, address))
        return owners

    def _describe(self, what: str, lanes: int, size: int, address: int) -> str:
        near = [
            f"{r.name} at byte {address - r.base} of {r.size}"
            for r in self._regions
            if -_NEAR < address - r.base < r.size + _NEAR
        ]
        place = f"; near {', '.join(near)}" if near else ""
        return f"{what} of {size} bytes in {lanes} lanes at {address:#x}, outside every allocation{place}"


class Lds:
    """The on-chip memory of one workgroup."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._content = np.full(size, _POISON, np.uint8)
        self._races = RaceDetector(size)

    def load(self, wave: Wave, addresses: Any, size: int) -> Any:
        index = self._index(addresses, size, "load")
        self._races.read(wave.index, index)
        return self._content[index]

    def store(self, wave: Wave, addresses: Any, data: Any) -> None:
        index = self._index(addresses, data.shape[1], "store")
        self._races.write(wave.index, index, self._content[index] != data)
        self._content[index] = data

    def load_atomic(self, wave: Wave, addresses: Any, size: int) -> Any:
        index = self._index(addresses, size, "atomic")
        self._races.update(wave.index, index)
        return self._content[index]

    def store_atomic(self, wave: Wave, addresses: Any, data: Any) -> None:
        self._content[self._index(addresses, data.shape[1], "atomic")] = data

    def pass_barrier(self) -> None:
        """All waves have met; what they did before is ordered before what they do next."""
        self._races.reset()

    def _index(self, addresses: Any, size: int, what: str) -> Any:
        offsets = addresses.astype(np.int64) & MASK32
        if len(offsets) and offsets.max() + size > self.size:
            farthest = int(offsets.max())
            raise MemoryFault(
                f"LDS {what} of {size} bytes at {farthest} outside its {self.size} bytes"
            )
        return _byte_index(offsets, size)


class Scratch:
    """The private memory of a wave, one piece a lane; addresses are offsets into it."""

    def __init__(self, size: int, width: int) -> None:
        self._content = np.full((width, size), _POISON, np.uint8)

    def load(self, wave: Wave, addresses: Any, size: int) -> Any:
        return self._content[self._index(wave, addresses, size)]

    def store(self, wave: Wave, addresses: Any, data: Any) -> None:
        self._content[self._index(wave, addresses, data.shape[1])] = data

    def load_atomic(self, wave: Wave, addresses: Any, size: int) -> Any:
        raise IllegalExecution("atomic operation on scratch memory")

    def store_atomic(self, wave: Wave, addresses: Any, data: Any) -> None:
        raise IllegalExecution("atomic operation on scratch memory")

    def _index(self, wave: Wave, addresses: Any, size: int) -> tuple[Any, Any]:
        offsets = addresses.astype(np.int64)
        available = self._content.shape[1]
        if len(offsets) and (offsets.min() < 0 or offsets.max() + size > available):
            bad = int(offsets.min() if offsets.min() < 0 else offsets.max())
            raise MemoryFault(
                f"scratch access of {size} bytes at {bad} outside {available} bytes a lane"
            )
        return np.flatnonzero(wave.active)[:, None], _byte_index(offsets, size)
