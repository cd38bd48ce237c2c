"""global, flat and scratch instructions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..decoding.access import Execute, Reader, Registers, Target
from ..decoding.instruction import LDS_APERTURE, M0, SCRATCH_APERTURE, Instruction, Operand
from ..errors import UnsupportedInstruction
from ..values.numeric import MASK32, MASK64
from ..wave import Wave
from . import atomics
from .spaces import Memory
from .transfer import LOADS, STORES, LoadFormat, StoreFormat, gather_from, pad_to_word, scatter_to

# Wave -> the memory that it accesses and the addresses of its active lanes in it.
_Locate = Callable[[Wave], tuple[Memory, Any]]

# Cache maintenance and prefetches change nothing that a program here could see.
_NO_EFFECT = ("inv", "wb", "wbinv", "prefetch_b8")


def decode(instruction: Instruction, target: Target) -> Execute:
    """The function that executes a global, flat or scratch instruction."""
    segment, _, what = instruction.mnemonic.partition("_")
    if what in _NO_EFFECT:
        return lambda wave: None
    if what.startswith("load_lds_"):
        return _decode_load_to_lds(instruction, segment, what.removeprefix("load_lds_"))
    if what.startswith("load_"):
        return _decode_load(instruction, segment, what.removeprefix("load_"))
    if what.startswith("store_"):
        return _decode_store(instruction, segment, what.removeprefix("store_"))
    if what.startswith("atomic_"):
        return _decode_atomic(instruction, segment, what.removeprefix("atomic_"))
    raise UnsupportedInstruction(f"{segment} instruction {what!r}")


def if_active(execute: Execute) -> Execute:
    """Skip an instruction when no lane is active."""
    return lambda wave: execute(wave) if wave.exec else None


def _locate(segment: str, instruction: Instruction, operands: tuple[Operand, ...]) -> _Locate:
    """Where the active lanes point; the operands are the vector address and a scalar base."""
    offset = instruction.integer("offset")
    base = operands[1] if len(operands) > 1 else None
    if segment == "scratch":
        return _locate_scratch(operands[0], base, offset)
    if base is not None and base.kind == "scalar" and not base.is_null:
        read, index = Registers().read(operands[0], "u32"), base.index

        def locate_from_base(wave: Wave) -> tuple[Memory, Any]:
            start = np.uint64((wave.pair(index) + offset) & MASK64)
            return wave.memory, read(wave)[wave.active].astype(np.uint64) + start

        return locate_from_base
    read_address = Registers().read(operands[0], "u64")
    displacement = np.uint64(offset & MASK64)

    def locate(wave: Wave) -> tuple[Memory, Any]:
        addresses = read_address(wave)[wave.active] + displacement
        return _aperture(wave, addresses) if segment == "flat" else (wave.memory, addresses)

    return locate


def _locate_scratch(vector: Operand, scalar: Operand | None, offset: int) -> _Locate:
    parts: list[Reader] = []
    for operand in (vector, scalar):
        if operand is None or operand.kind == "off" or operand.is_null:
            continue
        if operand.kind == "constant":
            offset += int(operand.value)
        else:
            parts.append(Registers().read(operand, "u32"))

    def locate(wave: Wave) -> tuple[Memory, Any]:
        addresses = np.full(wave.width, offset, np.int64)
        for read in parts:
            addresses = addresses + np.asarray(read(wave)).astype(np.int64)
        return wave.scratch, addresses[wave.active]

    return locate


def _aperture(wave: Wave, addresses: Any) -> tuple[Memory, Any]:
    """The memory that flat addresses belong to: LDS and scratch have windows of their own."""
    window = addresses >> np.uint64(32)
    if (window == LDS_APERTURE).all():
        return wave.lds, addresses & np.uint64(MASK32)
    if (window == SCRATCH_APERTURE).all():
        return wave.scratch, addresses & np.uint64(MASK32)
    return wave.memory, addresses


def load_format(name: str) -> LoadFormat:
    """The format that a load's name means."""
    if name not in LOADS:
        raise UnsupportedInstruction(f"load {name!r}")
    return LOADS[name]


def store_format(name: str) -> StoreFormat:
    """The format that a store's name means."""
    if name not in STORES:
        raise UnsupportedInstruction(f"store {name!r}")
    return STORES[name]


def _decode_load(instruction: Instruction, segment: str, name: str) -> Execute:
    form = load_format(name)
    locate = _locate(segment, instruction, instruction.operands[1:])
    scatter = scatter_to(instruction.operands[0], form)

    def execute(wave: Wave) -> None:
        memory, addresses = locate(wave)
        scatter(wave, memory.load(wave, addresses, form.size))

    return if_active(execute)


def _decode_store(instruction: Instruction, segment: str, name: str) -> Execute:
    vector, data, *base = instruction.operands
    locate = _locate(segment, instruction, (vector, *base))
    gather = gather_from(data, store_format(name))

    def execute(wave: Wave) -> None:
        memory, addresses = locate(wave)
        memory.store(wave, addresses, gather(wave))

    return if_active(execute)


def lds_destination(wave: Wave, offset: int, size: int) -> Any:
    """Where loads straight into LDS put the data of the active lanes: M0, then lane by lane."""
    start = (wave.scalar[M0] & 0xFFFF) + offset
    return (start + size * np.arange(wave.width))[wave.active]


def _decode_load_to_lds(instruction: Instruction, segment: str, name: str) -> Execute:
    form = load_format(name)
    if form.signed:
        raise UnsupportedInstruction("sign-extending load into LDS")
    locate = _locate(segment, instruction, instruction.operands)
    offset = instruction.integer("offset")

    def execute(wave: Wave) -> None:
        memory, addresses = locate(wave)
        data = pad_to_word(memory.load(wave, addresses, form.size))
        wave.lds.store(wave, lds_destination(wave, offset, data.shape[1]), data)

    return if_active(execute)


def _decode_atomic(instruction: Instruction, segment: str, name: str) -> Execute:
    returns = instruction.returns_old_value
    vector, data, *base = instruction.operands[1 if returns else 0 :]
    locate = _locate(segment, instruction, (vector, *base))
    perform = global_atomic(name, data)
    size = 8 if name.endswith(("_x2", "64")) else 4
    scatter = scatter_to(instruction.operands[0], LoadFormat(size)) if returns else None

    def execute(wave: Wave) -> None:
        memory, addresses = locate(wave)
        old = perform(memory, wave, addresses, slice(None))
        if scatter is not None:
            scatter(wave, old)

    return if_active(execute)


def global_atomic(name: str, data: Operand) -> Callable[[Memory, Wave, Any, Any], Any]:
    """A function of memory, wave, addresses and the lanes among the active ones."""
    size = 8 if name.endswith(("_x2", "64")) else 4
    if name.startswith("cmpswap"):
        gather = gather_from(data, StoreFormat(2 * size))

        def swap(memory: Memory, wave: Wave, addresses: Any, lanes: Any) -> Any:
            pairs = gather(wave)[lanes]
            new, expected = pairs[:, :size], pairs[:, size:]
            return atomics.compare_and_swap(memory, wave, addresses, new, expected)

        return swap
    atomic = atomics.parse_atomic(name)
    gather = gather_from(data, StoreFormat(size))
    return lambda memory, wave, addresses, lanes: atomics.update(
        memory, wave, addresses, gather(wave)[lanes], atomic
    )
