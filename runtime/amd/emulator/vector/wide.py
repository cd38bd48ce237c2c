"""Vector instructions with a carry or a second result, and the steps of a division."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..decoding.access import Registers, Target, VectorOp
from ..decoding.handlers import Handlers
from ..decoding.instruction import VCC, Instruction
from ..values.float_functions import division_fma, division_scale
from ..values.integer_functions import bit_operation
from ..values.numeric import DTYPES, MASK32, MASK64
from ..wave import Wave

HANDLERS: Handlers[Callable[[Instruction, Registers, Target], VectorOp]] = Handlers()


@HANDLERS.matches(r"v_(add|sub|subrev|addc|subb|subbrev)_co_(ci_)?u32")
def _decode_carry(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    destination, carry_out, first, second, *carry_in = instruction.operands
    if "rev" in instruction.mnemonic:
        first, second = second, first
    a, b = registers.read(first, "u32"), registers.read(second, "u32")
    write_sum = registers.write(destination, "u32")
    sign = -1 if "sub" in instruction.mnemonic else 1

    def compute(wave: Wave) -> Any:
        carry = wave.lanes(carry_in[0].index).astype(np.int64) if carry_in else 0
        total = np.asarray(a(wave), np.int64) + sign * (np.asarray(b(wave), np.int64) + carry)
        return np.broadcast_to(total, (wave.width,))

    def write(wave: Wave, total: Any) -> None:
        write_sum(wave, (total & MASK32).astype(np.uint32))
        wave.set_lanes(carry_out.index, (total < 0) | (total > MASK32))

    return VectorOp(compute, write)


@HANDLERS.matches(r"v_mad_(nc_|co_)?(u64_u32|i64_i32)")
def _decode_multiply_add(
    instruction: Instruction, registers: Registers, target: Target
) -> VectorOp:
    has_carry = "_nc_" not in instruction.mnemonic
    narrow, wide = ("u32", "u64") if "u64" in instruction.mnemonic else ("i32", "i64")
    sources = instruction.operands[-3:]
    readers = [registers.read(s, t) for s, t in zip(sources, (narrow, narrow, wide), strict=True)]
    write_result = registers.write(instruction.operands[0], wide)
    limits = np.iinfo(DTYPES[wide])

    def compute(wave: Wave) -> Any:
        # Python's integers: the exact result tells whether it overflows.
        a, b, c = (np.broadcast_to(read(wave), (wave.width,)).tolist() for read in readers)
        exact = [x * y + z for x, y, z in zip(a, b, c, strict=True)]
        wrapped = np.array([value & MASK64 for value in exact], np.uint64)
        overflow = np.array([not limits.min <= value <= limits.max for value in exact])
        return wrapped.view(DTYPES[wide]), overflow

    def write(wave: Wave, result: Any) -> None:
        write_result(wave, result[0])
        if has_carry:
            wave.set_lanes(instruction.operands[1].index, result[1])

    return VectorOp(compute, write)


@HANDLERS.matches(r"v_div_scale_f(32|64)")
def _decode_division_scale(
    instruction: Instruction, registers: Registers, target: Target
) -> VectorOp:
    destination, flags, *sources = instruction.operands
    dtype = instruction.mnemonic[-3:]
    a, b, c = (registers.read(source, dtype) for source in sources)
    write_value = registers.write(destination, dtype)

    def write(wave: Wave, result: Any) -> None:
        write_value(wave, result[0])
        wave.set_lanes(flags.index, result[1])

    return VectorOp(lambda wave: division_scale(a(wave), b(wave), c(wave)), write)


@HANDLERS.matches(r"v_div_fmas_f(32|64)")
def _decode_division_fma(
    instruction: Instruction, registers: Registers, target: Target
) -> VectorOp:
    dtype = instruction.mnemonic[-3:]
    a, b, c = (registers.read(source, dtype) for source in instruction.operands[1:4])

    def compute(wave: Wave) -> Any:
        return division_fma(a(wave), b(wave), c(wave), wave.lanes(VCC))

    return VectorOp(compute, registers.write(instruction.operands[0], dtype))


@HANDLERS.matches(r"v_bitop3_b(32|16)")
def _decode_bit_operation(
    instruction: Instruction, registers: Registers, target: Target
) -> VectorOp:
    dtype = "u" + instruction.mnemonic[-2:]
    halves = instruction.bits("op_sel", 4)
    sources = zip(instruction.operands[1:4], halves, strict=False)
    a, b, c = (registers.read(source, dtype, high) for source, high in sources)
    table = instruction.integer("bitop3")
    return VectorOp(
        lambda wave: bit_operation(a(wave), b(wave), c(wave), table),
        registers.write(instruction.operands[0], dtype, halves[3]),
    )
