"""ds instructions: loads, stores and atomics on LDS, and permutations over the lanes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..decoding.access import Execute, Registers, Target
from ..decoding.handlers import Handlers
from ..decoding.instruction import Instruction, Operand
from ..errors import IllegalExecution, UnsupportedInstruction
from ..wave import Wave
from . import atomics, swizzle
from .global_access import if_active, load_format, store_format
from .transfer import LoadFormat, StoreFormat, gather_from, scatter_to

_HANDLERS: Handlers[Callable[[Instruction, Target], Execute]] = Handlers()


def decode(instruction: Instruction, target: Target) -> Execute:
    """The function that executes a ds instruction."""
    handler = _HANDLERS.find(instruction.mnemonic.removeprefix("ds_"))
    if handler is None:
        raise UnsupportedInstruction("no semantics for this ds instruction")
    return handler(instruction, target)


def _addresses(operand: Operand, offset: int) -> Callable[[Wave], Any]:
    read = Registers().read(operand, "u32")
    return lambda wave: read(wave)[wave.active].astype(np.int64) + offset


@_HANDLERS.matches("nop")
def _decode_nop(instruction: Instruction, target: Target) -> Execute:
    return lambda wave: None


@_HANDLERS.matches("swizzle_b32|b?permute_(fi_)?b32")
def _decode_permutation(instruction: Instruction, target: Target) -> Execute:
    return swizzle.decode(instruction, target)


_PAIR = re.compile(r"(?:read|load|write|store)_?2(addr)?(_stride64|st64)?_b(32|64)")


def _pair_offsets(instruction: Instruction) -> tuple[int, tuple[int, int]]:
    """Size of an element and the two offsets of an access to two places."""
    match = _PAIR.fullmatch(instruction.mnemonic.removeprefix("ds_"))
    size = int(match[3]) // 8
    unit = size * (64 if match[2] else 1)
    return size, (unit * instruction.integer("offset0"), unit * instruction.integer("offset1"))


@_HANDLERS.matches(r"(read|load)_?2(addr)?(_stride64|st64)?_b(32|64)")
def _decode_load_pair(instruction: Instruction, target: Target) -> Execute:
    size, offsets = _pair_offsets(instruction)
    destination, address = instruction.operands
    addresses = [_addresses(address, offset) for offset in offsets]
    scatter = scatter_to(destination, LoadFormat(2 * size))

    def execute(wave: Wave) -> None:
        parts = [wave.lds.load(wave, place(wave), size) for place in addresses]
        scatter(wave, np.concatenate(parts, axis=1))

    return if_active(execute)


@_HANDLERS.matches(r"(write|store)_?2(addr)?(_stride64|st64)?_b(32|64)")
def _decode_store_pair(instruction: Instruction, target: Target) -> Execute:
    size, offsets = _pair_offsets(instruction)
    address, *data = instruction.operands
    addresses = [_addresses(address, offset) for offset in offsets]
    gathers = [gather_from(operand, StoreFormat(size)) for operand in data]

    def execute(wave: Wave) -> None:
        for place, gather in zip(addresses, gathers, strict=True):
            wave.lds.store(wave, place(wave), gather(wave))

    return if_active(execute)


@_HANDLERS.matches("read_b64_tr_b16")
def _decode_transposing_load(instruction: Instruction, target: Target) -> Execute:
    """Each group of 16 lanes reads 16 x 4 elements and gets them transposed.

    Lane l of a group gets as element j the element l % 4 of the 8 bytes that lane 4 j + l / 4 of
    its group addressed.
    This is inferred from how published kernels compute the addresses.
    """
    destination, address = instruction.operands
    addresses = _addresses(address, instruction.integer("offset"))
    scatter = scatter_to(destination, LoadFormat(8))
    lane = np.arange(target.wave_size)
    column = lane & 15
    source = (lane & ~15)[:, None] + 4 * np.arange(4)[None, :] + (column // 4)[:, None]

    def execute(wave: Wave) -> None:
        if not wave.all_active:
            raise IllegalExecution("transposing load with inactive lanes")
        loaded = np.ascontiguousarray(wave.lds.load(wave, addresses(wave), 8)).view(np.uint16)
        scatter(wave, np.ascontiguousarray(loaded[source, (column % 4)[:, None]]).view(np.uint8))

    return execute


@_HANDLERS.matches(r"(read|load)_[usbi]\w+")
def _decode_load(instruction: Instruction, target: Target) -> Execute:
    form = load_format(instruction.mnemonic.split("_", 2)[2])
    destination, address = instruction.operands
    addresses = _addresses(address, instruction.integer("offset"))
    scatter = scatter_to(destination, form)
    return if_active(lambda w: scatter(w, w.lds.load(w, addresses(w), form.size)))


@_HANDLERS.matches(r"(write|store)_b\w+")
def _decode_store(instruction: Instruction, target: Target) -> Execute:
    address, data = instruction.operands
    addresses = _addresses(address, instruction.integer("offset"))
    gather = gather_from(data, store_format(instruction.mnemonic.split("_", 2)[2]))
    return if_active(lambda wave: wave.lds.store(wave, addresses(wave), gather(wave)))


@_HANDLERS.matches(r"cmpst(ore)?_(rtn_)?b(32|64)")
def _decode_compare_and_swap(instruction: Instruction, target: Target) -> Execute:
    size = int(instruction.mnemonic[-2:]) // 8
    returns = "_rtn" in instruction.mnemonic
    address, first, second = instruction.operands[1 if returns else 0 :]
    # The older form takes what is expected first, the newer one what is stored.
    new, expected = (first, second) if "cmpstore" in instruction.mnemonic else (second, first)
    addresses = _addresses(address, instruction.integer("offset"))
    gather_new, gather_expected = (gather_from(o, StoreFormat(size)) for o in (new, expected))
    scatter = scatter_to(instruction.operands[0], LoadFormat(size)) if returns else None

    def execute(wave: Wave) -> None:
        old = atomics.compare_and_swap(
            wave.lds, wave, addresses(wave), gather_new(wave), gather_expected(wave)
        )
        if scatter is not None:
            scatter(wave, old)

    return if_active(execute)


@_HANDLERS.matches(
    r"(pk_add|add|sub|min|max|min_num|max_num|and|or|xor|inc|dec|wrxchg|storexchg)"
    r"_(rtn_)?([uifb]\d+|bf16)"
)
def _decode_atomic(instruction: Instruction, target: Target) -> Execute:
    atomic = atomics.parse_atomic(instruction.mnemonic.removeprefix("ds_"))
    returns = "_rtn" in instruction.mnemonic
    address, data = instruction.operands[1 if returns else 0 :]
    addresses = _addresses(address, instruction.integer("offset"))
    gather = gather_from(data, StoreFormat(atomic.size))
    scatter = scatter_to(instruction.operands[0], LoadFormat(atomic.size)) if returns else None

    def execute(wave: Wave) -> None:
        old = atomics.update(wave.lds, wave, addresses(wave), gather(wave), atomic)
        if scatter is not None:
            scatter(wave, old)

    return if_active(execute)
