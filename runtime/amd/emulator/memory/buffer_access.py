"""Buffer instructions: a descriptor gives base and size, what lies outside is dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..decoding.access import Execute, Reader, Registers, Target
from ..decoding.instruction import Instruction, Operand
from ..errors import IllegalExecution, UnsupportedInstruction
from ..wave import Wave
from .global_access import global_atomic, if_active, lds_destination, load_format, store_format
from .transfer import LoadFormat, gather_from, pad_to_word, scatter_to

_NO_EFFECT = ("inv", "wbl2", "wbinvl1", "wbinvl1_vol", "gl0_inv", "gl1_inv", "wb")
_STRIDE_BITS = 0x3FFF


@dataclass(frozen=True)
class _Access:
    """The accessed bytes of the active lanes: addresses, and offsets to check."""

    addresses: Any
    offsets: Any
    limit: int

    def inside(self, start: int, size: int) -> Any:
        """Lanes whose bytes [start, start + size) lie inside the buffer."""
        return self.offsets + start + size <= self.limit


class _Addressing:
    """Computes the addresses of a raw buffer instruction."""

    def __init__(self, instruction: Instruction, operands: tuple[Operand, ...]) -> None:
        if "idxen" in instruction.modifiers:
            raise UnsupportedInstruction("structured buffer access")
        vector, descriptor, scalar = operands[:3]
        self._descriptor = descriptor.index
        self._immediate = instruction.integer("offset")
        has_offset = "offen" in instruction.modifiers
        self._vector: Reader | None = Registers().read(vector, "u32") if has_offset else None
        self._scalar = Registers().read(scalar, "u32")

    def __call__(self, wave: Wave) -> _Access:
        first = self._descriptor
        words = wave.scalar[first : first + 4]
        if words[1] >> 16 & _STRIDE_BITS:
            raise IllegalExecution(f"buffer descriptor with a stride: {[hex(w) for w in words]}")
        base = words[0] | (words[1] & 0xFFFF) << 32
        count = int(np.count_nonzero(wave.active))
        offsets = np.full(count, self._immediate, np.int64)
        if self._vector is not None:
            offsets = offsets + self._vector(wave)[wave.active]
        scalar = int(self._scalar(wave))
        # Whether the scalar offset counts towards the limit differs between generations for
        # structured buffers only.
        addresses = np.uint64(base + scalar) + offsets.astype(np.uint64)
        return _Access(addresses, offsets + scalar, words[2])


def decode(instruction: Instruction, target: Target) -> Execute:
    """The function that executes a buffer instruction."""
    what = instruction.mnemonic.removeprefix("buffer_")
    if what in _NO_EFFECT:
        return lambda wave: None
    if what.startswith("load_") and "lds" in instruction.modifiers:
        return _decode_load_to_lds(instruction, what.removeprefix("load_"))
    if what.startswith("load_"):
        return _decode_load(instruction, what.removeprefix("load_"))
    if what.startswith("store_"):
        return _decode_store(instruction, what.removeprefix("store_"))
    if what.startswith("atomic_"):
        return _decode_atomic(instruction, what.removeprefix("atomic_"))
    raise UnsupportedInstruction(f"buffer instruction {what!r}")


def _pieces(size: int) -> list[tuple[int, int]]:
    """Parts of an access that are checked one by one: its dwords."""
    step = min(size, 4)
    return [(start, step) for start in range(0, size, step)]


def _load(wave: Wave, access: _Access, size: int) -> Any:
    data = np.zeros((len(access.offsets), size), np.uint8)
    for start, step in _pieces(size):
        lanes = access.inside(start, step)
        if lanes.any():
            addresses = access.addresses[lanes] + np.uint64(start)
            data[lanes, start : start + step] = wave.memory.load(wave, addresses, step)
    return data


def _decode_load(instruction: Instruction, name: str) -> Execute:
    form = load_format(name)
    address = _Addressing(instruction, instruction.operands[1:])
    scatter = scatter_to(instruction.operands[0], form)
    return if_active(lambda wave: scatter(wave, _load(wave, address(wave), form.size)))


def _decode_load_to_lds(instruction: Instruction, name: str) -> Execute:
    form = load_format(name)
    if form.signed:
        raise UnsupportedInstruction("sign-extending load into LDS")
    address = _Addressing(instruction, instruction.operands)
    offset = instruction.integer("offset")

    def execute(wave: Wave) -> None:
        data = pad_to_word(_load(wave, address(wave), form.size))
        wave.lds.store(wave, lds_destination(wave, offset, data.shape[1]), data)

    return if_active(execute)


def _decode_store(instruction: Instruction, name: str) -> Execute:
    form = store_format(name)
    address = _Addressing(instruction, instruction.operands[1:])
    gather = gather_from(instruction.operands[0], form)

    def execute(wave: Wave) -> None:
        access, data = address(wave), gather(wave)
        for start, step in _pieces(form.size):
            lanes = access.inside(start, step)
            if lanes.any():
                part = np.ascontiguousarray(data[lanes, start : start + step])
                wave.memory.store(wave, access.addresses[lanes] + np.uint64(start), part)

    return if_active(execute)


def _decode_atomic(instruction: Instruction, name: str) -> Execute:
    size = 8 if name.endswith(("_x2", "64")) else 4
    destination = instruction.operands[0]
    address = _Addressing(instruction, instruction.operands[1:])
    perform = global_atomic(name, destination)
    returns = instruction.returns_old_value
    scatter = scatter_to(destination, LoadFormat(size)) if returns else None

    def execute(wave: Wave) -> None:
        access = address(wave)
        lanes = access.inside(0, size)
        old = np.zeros((len(lanes), size), np.uint8)
        if lanes.any():
            old[lanes] = perform(wave.memory, wave, access.addresses[lanes], lanes)
        if scatter is not None:
            scatter(wave, old)

    return if_active(execute)
