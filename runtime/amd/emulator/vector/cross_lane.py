"""Vector instructions that move values between the lanes of a wave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..decoding.access import Registers, Target, VectorOp
from ..decoding.handlers import Handlers
from ..decoding.instruction import Instruction
from ..values.integer_functions import population_count
from ..values.numeric import MASK32
from ..wave import Wave

HANDLERS: Handlers[Callable[[Instruction, Registers, Target], VectorOp]] = Handlers()


@HANDLERS.matches("v_readfirstlane_b32|v_readlane_b32")
def _decode_read_lane(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    destination, source, *lane = instruction.operands
    read = registers.read(source, "u32")
    read_lane = registers.read(lane[0], "u32") if lane else None

    def compute(wave: Wave) -> Any:
        chosen = int(read_lane(wave)) % wave.width if read_lane else wave.first_active()
        return np.broadcast_to(read(wave), (wave.width,))[chosen]

    return VectorOp(compute, registers.write(destination, "u32"))


@HANDLERS.matches("v_writelane_b32")
def _decode_write_lane(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    destination, source, lane = instruction.operands
    read, read_lane = registers.read(source, "u32"), registers.read(lane, "u32")

    def write(wave: Wave, written: Any) -> None:
        value, chosen = written
        wave.vector[destination.index, chosen] = value  # whether or not that lane is active

    return VectorOp(lambda wave: (read(wave), int(read_lane(wave)) % wave.width), write)


def _fetch(instruction: Instruction, wave: Wave, value: Any, source: Any, old: Any) -> Any:
    """Values of the source lanes; what an inactive source gives depends on the options."""
    fetch_inactive, zero_fill = instruction.bits("op_sel", 2)
    fallback = np.uint32(0) if zero_fill else old
    return np.where(wave.active[source] | bool(fetch_inactive), value[source], fallback)


@HANDLERS.matches(r"v_permlane(x)?16_b32")
def _decode_row_permute(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    destination, source, low, high = instruction.operands
    readers = [registers.read(operand, "u32") for operand in (low, high)]
    read, read_old = registers.read(source, "u32"), registers.read(destination, "u32")
    lane = np.arange(target.wave_size)
    row = (lane ^ (16 if "x16" in instruction.mnemonic else 0)) & ~15

    def compute(wave: Wave) -> Any:
        packed = int(readers[0](wave)) | int(readers[1](wave)) << 32
        columns = np.array([packed >> 4 * column & 15 for column in range(16)])
        source_lane = row + columns[lane & 15]
        return _fetch(instruction, wave, read(wave), source_lane, read_old(wave))

    return VectorOp(compute, registers.write(destination, "u32"))


@HANDLERS.matches(r"v_permlane(x)?16_var_b32")
def _decode_row_permute_by_lane(
    instruction: Instruction, registers: Registers, target: Target
) -> VectorOp:
    destination, source, selector = instruction.operands
    read, read_selector = registers.read(source, "u32"), registers.read(selector, "u32")
    read_old = registers.read(destination, "u32")
    lane = np.arange(target.wave_size)
    row = (lane ^ (16 if "x16" in instruction.mnemonic else 0)) & ~15

    def compute(wave: Wave) -> Any:
        column = (read_selector(wave) & np.uint32(15)).astype(np.int64)
        return _fetch(instruction, wave, read(wave), row + column, read_old(wave))

    return VectorOp(compute, registers.write(destination, "u32"))


@HANDLERS.matches("v_permlane64_b32")
def _decode_half_exchange(
    instruction: Instruction, registers: Registers, target: Target
) -> VectorOp:
    destination, source = instruction.operands
    read = registers.read(source, "u32")
    # In a wave of 32 there is no other half, and the value stays where it is.
    distance = 32 if target.wave_size == 64 else 0
    return VectorOp(lambda wave: np.roll(read(wave), distance), registers.write(destination, "u32"))


@HANDLERS.matches("v_swap_b32|v_permlane(16|32)_swap_b32")
def _decode_swap(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    first, second = instruction.operands
    a, b = registers.read(first, "u32"), registers.read(second, "u32")
    write_first, write_second = registers.write(first, "u32"), registers.write(second, "u32")
    lane = np.arange(target.wave_size)
    rows = 32 if "32_swap" in instruction.mnemonic else 16
    # Rows of the first operand with odd numbers change places with even ones of the second.
    odd = (lane // rows) % 2 == 1

    def compute(wave: Wave) -> Any:
        x, y = a(wave).copy(), b(wave).copy()
        if instruction.mnemonic == "v_swap_b32":
            return y, x
        x[odd], y[~odd] = y[~odd].copy(), x[odd].copy()
        return x, y

    def write(wave: Wave, pair: Any) -> None:
        write_first(wave, pair[0])
        write_second(wave, pair[1])

    return VectorOp(compute, write)


@HANDLERS.matches(r"v_mbcnt_(lo|hi)_u32_b32")
def _decode_count_below(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    destination, mask, base = instruction.operands
    read_mask, read_base = registers.read(mask, "u32"), registers.read(base, "u32")
    first = 32 if "_hi_" in instruction.mnemonic else 0
    distances = np.arange(target.wave_size) - first
    below = np.array([(1 << max(0, min(d, 32))) - 1 & MASK32 for d in distances], np.uint32)
    return VectorOp(
        lambda wave: population_count(read_mask(wave) & below) + read_base(wave),
        registers.write(destination, "u32"),
    )
