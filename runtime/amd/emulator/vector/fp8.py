"""Conversions between f32 and the 8-bit floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..decoding.access import Registers, Target, VectorOp
from ..decoding.handlers import Handlers
from ..decoding.instruction import Instruction
from ..errors import UnsupportedInstruction
from ..values.numeric import FP8_VALUES, encode_fp8
from ..wave import Wave

HANDLERS: Handlers[Callable[[Instruction, Registers, Target], VectorOp]] = Handlers()


@HANDLERS.matches(r"v_cvt_pk_(fp8|bf8)_f32")
def _decode_pack(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    if "clamp" in instruction.modifiers:
        raise UnsupportedInstruction("clamp on a conversion to an 8-bit float")
    name, fnuz = instruction.mnemonic[9:12], target.fp8_is_fnuz
    destination, first, second = instruction.operands
    a, b = registers.read(first, "f32"), registers.read(second, "f32")

    def compute(wave: Wave) -> Any:
        low = encode_fp8(a(wave), name, fnuz).astype(np.uint16)
        return low | (encode_fp8(b(wave), name, fnuz).astype(np.uint16) << np.uint16(8))

    high = max(instruction.bits("op_sel", 4)[2:])
    return VectorOp(compute, registers.write(destination, "u16", high))


@HANDLERS.matches(r"v_cvt_f32_(fp8|bf8)")
def _decode_unpack(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    values = FP8_VALUES[instruction.mnemonic[-3:], target.fp8_is_fnuz]
    destination, source = instruction.operands
    low, high = instruction.bits("op_sel", 2)
    byte = instruction.integer("byte_sel", low + 2 * high)
    read, shift = registers.read(source, "u32"), np.uint32(8 * byte)
    return VectorOp(
        lambda wave: values[(read(wave) >> shift) & np.uint32(255)],
        registers.write(destination, "f32"),
    )


@HANDLERS.matches(r"v_cvt_pk_f32_(fp8|bf8)")
def _decode_unpack_pair(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    values = FP8_VALUES[instruction.mnemonic[-3:], target.fp8_is_fnuz]
    destination, source = instruction.operands
    read = registers.read(source, "u16", instruction.bits("op_sel", 1)[0])
    write_low = registers.write(destination, "f32")
    write_high = registers.write(destination.shifted(1), "f32")

    def compute(wave: Wave) -> Any:
        codes = read(wave)
        return values[codes & np.uint16(255)], values[codes >> np.uint16(8)]

    def write(wave: Wave, pair: Any) -> None:
        write_low(wave, pair[0])
        write_high(wave, pair[1])

    return VectorOp(compute, write)
