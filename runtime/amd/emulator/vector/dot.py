"""Dot products within a lane, and fused multiply-adds of mixed precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..decoding.access import Registers, Target, VectorOp
from ..decoding.handlers import Handlers
from ..decoding.instruction import Instruction
from ..values.float_functions import fma_f32
from ..wave import Wave

HANDLERS: Handlers[Callable[[Instruction, Registers, Target], VectorOp]] = Handlers()


@HANDLERS.matches(r"v_dot2(c|acc)?_f32_b?f16")
def _decode_dot2(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    destination, first, second, *rest = instruction.operands
    dtype = "bf16" if "bf16" in instruction.mnemonic else "f16"
    halves = zip(
        instruction.bits("op_sel", 2), instruction.bits("op_sel_hi", 2, default=1), strict=True
    )
    a, b = (
        [registers.read(source, dtype, high) for high in pair]
        for source, pair in zip((first, second), halves, strict=True)
    )
    accumulator = registers.read(rest[0] if rest else destination, "f32")

    def compute(wave: Wave) -> Any:
        total = np.asarray(accumulator(wave), np.float64)
        for x, y in zip(a, b, strict=True):
            total = total + np.asarray(x(wave), np.float64) * np.asarray(y(wave), np.float64)
        return total.astype(np.float32)

    return VectorOp(compute, registers.write(destination, "f32"))


@HANDLERS.matches(r"v_dot4c?_(i32_i8|u32_u8|i32_iu8)")
def _decode_dot4(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    destination, first, second, *rest = instruction.operands
    if instruction.mnemonic.endswith("iu8"):
        signed = [bool(bit) for bit in instruction.bits("neg_lo", 2)]
    else:
        signed = [instruction.mnemonic.endswith("_i8")] * 2
    a, b = registers.read(first, "u32"), registers.read(second, "u32")
    accumulator = registers.read(rest[0] if rest else destination, "i32")

    def compute(wave: Wave) -> Any:
        x, y = a(wave), b(wave)
        total = np.asarray(accumulator(wave), np.int64)
        for position in range(4):
            total = total + _byte(x, position, signed[0]) * _byte(y, position, signed[1])
        if "clamp" in instruction.modifiers:
            total = np.clip(total, -(2**31), 2**31 - 1)
        return total.astype(np.int32)

    return VectorOp(compute, registers.write(destination, "i32"))


def _byte(value: Any, position: int, signed: bool) -> Any:
    byte = np.asarray(value >> np.uint32(8 * position)).astype(np.uint8)
    return byte.view(np.int8 if signed else np.uint8).astype(np.int64)


@HANDLERS.matches(r"v_(fma|mad)_mix(lo|hi)?_f(16|32)")
def _decode_mixed(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    destination, *sources = instruction.operands
    is_half = instruction.bits("op_sel_hi", 3)
    halves = instruction.bits("op_sel", 3)
    a, b, c = (
        registers.read(source, "f16" if half else "f32", high)
        for source, half, high in zip(sources, is_half, halves, strict=True)
    )
    if instruction.mnemonic.endswith("f32"):
        write = registers.write(destination, "f32")
        return VectorOp(lambda wave: fma_f32(a(wave), b(wave), c(wave)), write)
    write = registers.write(destination, "f16", high="mixhi" in instruction.mnemonic)
    return VectorOp(lambda wave: fma_f32(a(wave), b(wave), c(wave)).astype(np.float16), write)
