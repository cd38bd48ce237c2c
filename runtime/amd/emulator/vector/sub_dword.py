"""SDWA (gfx9): sources and destinations that are a byte or a word of a register."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..decoding.access import Reader, Registers, Writer
from ..decoding.instruction import Instruction, Operand
from ..values.numeric import DTYPES, unsigned
from ..wave import Wave


def is_used(instruction: Instruction) -> bool:
    """Whether the instruction selects parts of registers."""
    return any(name in instruction.modifiers for name in ("dst_sel", "src0_sel"))


class SubDwordRegisters(Registers):
    """Registers that read and write the selected parts."""

    def __init__(self, instruction: Instruction) -> None:
        self._instruction = instruction

    def read(self, operand: Operand, dtype: str, high: bool | int = False) -> Reader:
        first = self._instruction.first_source
        for position, source in enumerate(self._instruction.operands[first : first + 2]):
            # By identity: the same register may be both sources, each with its own part.
            if operand is source:
                selection = self._instruction.modifiers.get(f"src{position}_sel", "DWORD")
                whole = super().read(replace(operand, negate=False, absolute=False), "u32")
                return _select(operand, whole, selection, dtype)
        return super().read(operand, dtype, high)

    def write(
        self, operand: Operand, dtype: str, high: bool | int = False, clear_high: bool = False
    ) -> Writer:
        if operand.kind != "vector" or "dst_sel" not in self._instruction.modifiers:
            return super().write(operand, dtype, high, clear_high)
        read_whole = super().read(operand, "u32")
        write_whole = super().write(operand, "u32")
        return _place(self._instruction, read_whole, write_whole, dtype)


def _part(selection: str) -> tuple[int, int]:
    """Bits and shift of BYTE_n, WORD_n or DWORD."""
    bits = {"B": 8, "W": 16, "D": 32}[selection[0]]
    return bits, 0 if bits == 32 else bits * int(selection[-1])


def _sign_extend(value: Any, bits: int) -> Any:
    unused = 32 - bits
    return ((value << np.uint32(unused)).view(np.int32) >> np.int32(unused)).view(np.uint32)


def _select(source: Operand, whole: Reader, selection: str, dtype: str) -> Reader:
    bits, shift = _part(selection)

    def read(wave: Wave) -> Any:
        value = np.atleast_1d(whole(wave) >> np.uint32(shift))
        if bits < 32:
            value = value & np.uint32((1 << bits) - 1)
            value = _sign_extend(value, bits) if source.sign_extend else value
        typed = value.astype(unsigned(dtype)).view(DTYPES[dtype])
        if source.absolute:
            typed = np.abs(typed)
        return -typed if source.negate else typed

    return read


def _place(instruction: Instruction, read_whole: Reader, write_whole: Writer, dtype: str) -> Writer:
    unused = instruction.modifiers.get("dst_unused", "UNUSED_PAD")
    bits, shift = _part(instruction.modifiers["dst_sel"])
    mask = np.uint32(((1 << bits) - 1) << shift)

    def write(wave: Wave, value: Any) -> None:
        whole = np.asarray(value, DTYPES[dtype]).view(unsigned(dtype)).astype(np.uint32)
        if bits < 32:
            whole = (whole << np.uint32(shift)) & mask
            if unused == "UNUSED_PRESERVE":
                whole = whole | (read_whole(wave) & ~mask)
            elif unused == "UNUSED_SEXT":
                whole = _sign_extend(whole, bits + shift)
        write_whole(wave, whole)

    return write
