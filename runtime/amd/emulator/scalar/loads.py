"""Scalar loads."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..decoding.access import Execute, Target
from ..decoding.handlers import Handlers
from ..decoding.instruction import Instruction
from ..errors import IllegalExecution
from ..values.numeric import MASK32, MASK64
from ..wave import Wave

HANDLERS: Handlers[Callable[[Instruction, Target], Execute]] = Handlers()

_SIZES = {f"dwordx{count}": 4 * count for count in (2, 3, 4, 8, 16)} | {"dword": 4}
_NARROW = {"u8": 1, "i8": 1, "u16": 2, "i16": 2}


def _size(name: str) -> int:
    if name in _NARROW:
        return _NARROW[name]
    return int(name[1:]) // 8 if name[0] == "b" else _SIZES[name]


@HANDLERS.matches(r"s_(buffer_)?load_(dword(x\d+)?|b\d+|[ui](8|16))")
def _decode_load(instruction: Instruction, target: Target) -> Execute:
    name = re.sub(r"s_(buffer_)?load_", "", instruction.mnemonic)
    size, signed = _size(name), name.startswith("i")
    destination, base, offset = instruction.operands
    immediate = instruction.integer("offset")
    register = offset.index if offset.kind == "scalar" and not offset.is_null else None
    if offset.kind == "constant":
        immediate += int(offset.value)
    is_buffer = "buffer" in instruction.mnemonic
    # The address is cut to dwords, but for the loads of less.
    alignment = ~3 if size >= 4 else ~0

    def execute(wave: Wave) -> None:
        distance = immediate + (wave.scalar[register] if register is not None else 0)
        start = wave.pair(base.index)
        if is_buffer:
            _refuse_stride(wave, base.index)
            start &= 0xFFFFFFFFFFFF
        if is_buffer and distance + size > wave.scalar[base.index + 2]:
            data = bytes(size)
        else:
            data = wave.memory.read((start + distance) & MASK64 & alignment, size)
        value = int.from_bytes(data, "little", signed=signed)
        registers = max(size // 4, 1)
        wave.set_scalar(destination.index, value if registers > 1 else value & MASK32, registers)

    return execute


def _refuse_stride(wave: Wave, descriptor: int) -> None:
    if wave.scalar[descriptor + 1] >> 16 & 0x3FFF:
        raise IllegalExecution("scalar load through a buffer descriptor with a stride")
