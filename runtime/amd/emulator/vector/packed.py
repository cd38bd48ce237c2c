"""Packed instructions: two 16-bit halves of a register, or two f32 in a pair of them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..decoding.access import Reader, Registers, Target, VectorOp
from ..decoding.handlers import Handlers
from ..decoding.instruction import Instruction, Operand
from ..errors import UnsupportedInstruction
from ..values import float_functions as ff
from ..values.numeric import DTYPES, FLOATS
from ..wave import Wave
from .table import in_sequence

HANDLERS: Handlers[Callable[[Instruction, Registers, Target], VectorOp]] = Handlers()

_Packed = tuple[str, int, Callable[..., Any]]


def _packed_table() -> dict[str, _Packed]:
    table: dict[str, _Packed] = {}
    for t in ("f16", "f32"):
        table[f"v_pk_add_{t}"] = (t, 2, operator.add)
        table[f"v_pk_mul_{t}"] = (t, 2, operator.mul)
        table[f"v_pk_fma_{t}"] = table[f"v_pk_fmac_{t}"] = (t, 3, ff.FMA[t])
    for name, function in (("max", ff.maximum_number), ("min", ff.minimum_number)):
        table[f"v_pk_{name}_f16"] = table[f"v_pk_{name}_num_f16"] = ("f16", 2, function)
    for name, function in (("maximum", ff.maximum), ("minimum", ff.minimum)):
        table[f"v_pk_{name}_f16"] = ("f16", 2, function)
        table[f"v_pk_{name}3_f16"] = ("f16", 3, in_sequence(function))
    for t in ("u16", "i16"):
        table[f"v_pk_add_{t}"] = (t, 2, operator.add)
        table[f"v_pk_sub_{t}"] = (t, 2, operator.sub)
        table[f"v_pk_mul_lo_{t}"] = (t, 2, operator.mul)
        table[f"v_pk_mad_{t}"] = (t, 3, lambda a, b, c: a * b + c)
        table[f"v_pk_max_{t}"] = (t, 2, np.maximum)
        table[f"v_pk_min_{t}"] = (t, 2, np.minimum)
    table["v_pk_lshlrev_b16"] = ("u16", 2, lambda a, b: b << (a & np.uint16(15)))
    table["v_pk_lshrrev_b16"] = ("u16", 2, lambda a, b: b >> (a & np.uint16(15)))
    table["v_pk_ashrrev_i16"] = ("i16", 2, lambda a, b: b >> (a & np.int16(15)))
    return table


_TABLE = _packed_table()


def _part(operand: Operand, dtype: str, second: int) -> tuple[Operand, int]:
    """The operand and the half of it that gives one of the two elements."""
    if dtype == "f32":
        if operand.kind in ("vector", "scalar"):
            return operand.shifted(second), 0
        # A constant fills the first of the pair; the other is zero.
        return (replace(operand, value=0) if second else operand), 0
    if operand.kind == "constant" and second:
        if isinstance(operand.value, float):
            return replace(operand, value=0), 0  # an inline float is zero-extended
        if -16 <= operand.value < 0:
            return operand, 0  # an inline integer is sign-extended
    return operand, second


def _negated(read: Reader) -> Reader:
    return lambda wave: -read(wave)


def _element_readers(
    instruction: Instruction, registers: Registers, sources: list[Operand], dtype: str, second: bool
) -> list[Reader]:
    """Readers of the sources of the first or the second element."""
    count = len(sources)
    if second:
        chosen = instruction.bits("op_sel_hi", count, default=1)
        negations = instruction.bits("neg_hi", count)
    else:
        chosen = instruction.bits("op_sel", count)
        negations = instruction.bits("neg_lo", count)
    readers = []
    for source, part, negate in zip(sources, chosen, negations, strict=True):
        operand, high = _part(source, dtype, part)
        read = registers.read(operand, dtype, high)
        readers.append(_negated(read) if negate else read)
    return readers


def _clamped(instruction: Instruction, dtype: str, function: Callable[..., Any]) -> Any:
    if "clamp" not in instruction.modifiers:
        return function
    if dtype not in FLOATS:
        raise UnsupportedInstruction("clamp on a packed integer instruction")
    zero, one = DTYPES[dtype](0), DTYPES[dtype](1)

    def clamped(*values: Any) -> Any:
        result = function(*values)
        return np.where(np.isnan(result), zero, np.clip(result, zero, one))

    return clamped


@HANDLERS.matches("|".join(_TABLE))
def _decode_packed(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    dtype, count, function = _TABLE[instruction.mnemonic]
    function = _clamped(instruction, dtype, function)
    destination, *sources = instruction.operands
    if len(sources) < count:
        sources.append(destination)  # fmac
    low = _element_readers(instruction, registers, sources, dtype, second=False)
    high = _element_readers(instruction, registers, sources, dtype, second=True)
    if dtype == "f32":
        write_low = registers.write(destination, dtype)
        write_high = registers.write(destination.shifted(1), dtype)
    else:
        write_low = registers.write(destination, dtype, high=False)
        write_high = registers.write(destination, dtype, high=True)

    def compute(wave: Wave) -> Any:
        first = np.array(function(*(read(wave) for read in low)))
        return first, np.array(function(*(read(wave) for read in high)))

    def write(wave: Wave, elements: Any) -> None:
        write_low(wave, elements[0])
        write_high(wave, elements[1])

    return VectorOp(compute, write)


@HANDLERS.matches("v_pk_mov_b32")
def _decode_packed_move(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    destination, first, second = instruction.operands
    # Each source gives one element; op_sel says which register of the source's pair.
    chosen = instruction.bits("op_sel", 2)
    a = registers.read(_part(first, "f32", chosen[0])[0], "u32")
    b = registers.read(_part(second, "f32", chosen[1])[0], "u32")
    write_low = registers.write(destination, "u32")
    write_high = registers.write(destination.shifted(1), "u32")

    def write(wave: Wave, elements: Any) -> None:
        write_low(wave, elements[0])
        write_high(wave, elements[1])

    return VectorOp(lambda wave: (np.array(a(wave)), np.array(b(wave))), write)
