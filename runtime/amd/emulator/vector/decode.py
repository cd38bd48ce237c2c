"""Decodes vector instructions: elementwise ones from the tables, the others by their handlers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..decoding.access import Execute, Reader, Registers, Target, VectorOp
from ..decoding.instruction import Instruction, Operand, split_dual
from ..errors import UnsupportedInstruction
from ..values.numeric import BYTES, DTYPES, FLOATS
from ..wave import Wave
from . import compare, cross_lane, dot, floats, fp8, integers, matrix, packed, sub_dword, wide
from .dpp import LaneMap, apply_lane_map, lane_map
from .table import Operation, Table

_TABLE: Table = Table(floats.TABLE | integers.TABLE)
_HANDLERS = (
    compare.HANDLERS,
    wide.HANDLERS,
    packed.HANDLERS,
    dot.HANDLERS,
    fp8.HANDLERS,
    cross_lane.HANDLERS,
    matrix.HANDLERS,
)
# Instructions whose destination is also their last source.
_ACCUMULATING = ("v_fmac_", "v_mac_")
# On gfx9 16-bit results clear the upper half, but for these.
_KEEPS_UPPER_HALF = ("v_fma", "v_mad", "v_div_fixup", "v_cvt_pk")
_OUTPUT_SCALES = {"mul:2": 2.0, "mul:4": 4.0, "div:2": 0.5}


def decode(instruction: Instruction, target: Target) -> Execute:
    """The function that executes a vector instruction."""
    if " :: " in instruction.text:
        return _decode_dual(instruction, target)
    mapping = lane_map(instruction, target.wave_size)
    if mapping is not None:
        return _decode_with_lane_map(instruction, target, mapping)
    if instruction.mnemonic == "v_nop":
        return lambda wave: None
    is_partial = sub_dword.is_used(instruction)
    registers = sub_dword.SubDwordRegisters(instruction) if is_partial else Registers()
    op = decode_operation(instruction, registers, target)
    return lambda wave: op.write(wave, op.compute(wave))


def decode_operation(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    """The two steps of a vector instruction."""
    for handlers in _HANDLERS:
        handler = handlers.find(instruction.mnemonic)
        if handler is not None:
            return handler(instruction, registers, target)
    return _decode_elementwise(instruction, registers, target)


def _decode_dual(instruction: Instruction, target: Target) -> Execute:
    first, second = (
        decode_operation(half, Registers(), target) for half in split_dual(instruction)
    )

    def execute(wave: Wave) -> None:
        results = first.compute(wave), second.compute(wave)
        first.write(wave, results[0])
        second.write(wave, results[1])

    return execute


def _decode_with_lane_map(instruction: Instruction, target: Target, mapping: LaneMap) -> Execute:
    return apply_lane_map(
        mapping, lambda registers: decode_operation(instruction, registers, target), instruction
    )


def _decode_elementwise(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    mnemonic = instruction.mnemonic.replace("v_s_", "v_", 1)  # scalar forms of gfx12's functions
    operation = _TABLE.get(mnemonic)
    if operation is None:
        raise UnsupportedInstruction("no semantics for this vector instruction")
    sources = list(instruction.operands[1:])
    if mnemonic.startswith(_ACCUMULATING) and len(sources) < len(operation.sources):
        sources.append(instruction.operands[0])
    if len(sources) != len(operation.sources):
        expected = len(operation.sources)
        raise UnsupportedInstruction(f"expected {expected} sources, got {len(sources)}")
    readers = _read_sources(instruction, registers, sources, operation)
    write = _write_result(instruction, registers, target, operation, len(sources))
    compute = _apply(operation.function, readers)
    return VectorOp(_modify_result(instruction, mnemonic, operation, readers, compute), write)


def _read_sources(
    instruction: Instruction, registers: Registers, sources: Sequence[Operand], op: Operation
) -> list[Reader]:
    halves = instruction.bits("op_sel", 4)
    typed = zip(sources, op.sources, halves, strict=False)
    return [registers.read(source, dtype, high) for source, dtype, high in typed]


def _write_result(
    instruction: Instruction, registers: Registers, target: Target, op: Operation, sources: int
) -> Callable[[Wave, Any], None]:
    destination = instruction.operands[0]
    if BYTES[op.result] != 2:
        return registers.write(destination, op.result)
    high = instruction.bits("op_sel", 4)[sources]
    clear = (
        target.is_gfx9
        and "op_sel" not in instruction.modifiers
        and not instruction.mnemonic.startswith(_KEEPS_UPPER_HALF)
    )
    return registers.write(destination, op.result, high, clear)


def _apply(function: Callable[..., Any], readers: Sequence[Reader]) -> Reader:
    # Spelled out by number of sources: this is the emulator's innermost call.
    if len(readers) == 1:
        (a,) = readers
        return lambda wave: function(a(wave))
    if len(readers) == 2:
        a, b = readers
        return lambda wave: function(a(wave), b(wave))
    a, b, c = readers
    return lambda wave: function(a(wave), b(wave), c(wave))


def _modify_result(
    instruction: Instruction,
    mnemonic: str,
    op: Operation,
    readers: Sequence[Reader],
    compute: Reader,
) -> Reader:
    """Apply the output modifiers: a factor, then the clamp."""
    for name in ("mul", "div"):
        if name in instruction.modifiers:
            factor = DTYPES[op.result](_OUTPUT_SCALES[f"{name}:{instruction.modifiers[name]}"])
            compute = _scaled(compute, factor)
    if "clamp" not in instruction.modifiers:
        return compute
    if op.result in FLOATS:
        return lambda wave: clamp_to_unit(compute(wave))
    if mnemonic in integers.SATURATING:
        return _apply(integers.SATURATING[mnemonic], readers)
    raise UnsupportedInstruction("clamp on this instruction")


def _scaled(compute: Reader, factor: Any) -> Reader:
    return lambda wave: factor * compute(wave)


def clamp_to_unit(value: Any) -> Any:
    """Limit floats to [0, 1]; a NaN becomes zero."""
    value = np.asarray(value)
    zero = value.dtype.type(0)
    return np.where(np.isnan(value), zero, np.clip(value, zero, value.dtype.type(1)))
