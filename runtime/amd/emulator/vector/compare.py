"""Vector comparisons, and selection by their result."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..decoding.access import Reader, Registers, Target, VectorOp
from ..decoding.handlers import Handlers
from ..decoding.instruction import VCC, Instruction
from ..errors import UnsupportedInstruction
from ..values.float_functions import classify
from ..values.numeric import type_of_suffix
from ..wave import Wave

HANDLERS: Handlers[Callable[[Instruction, Registers, Target], VectorOp]] = Handlers()


def _not(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: np.logical_not(compare(a, b))


def _constant(value: bool) -> Callable[[Any, Any], Any]:
    return lambda a, b: np.full(np.broadcast(a, b).shape, value)


def _differ_ordered(a: Any, b: Any) -> Any:
    return (a < b) | (a > b)


def _unordered(a: Any, b: Any) -> Any:
    return np.isnan(a) | np.isnan(b)


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "lg": _differ_ordered,
    "neq": operator.ne,
    "nlt": _not(operator.lt),
    "nle": _not(operator.le),
    "ngt": _not(operator.gt),
    "nge": _not(operator.ge),
    "nlg": _not(_differ_ordered),
    "o": _not(_unordered),
    "u": _unordered,
    "f": _constant(False),
    "t": _constant(True),
    "tru": _constant(True),
}


@HANDLERS.matches(r"v_cmpx?_\w+")
def _decode_compare(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    writes_exec = instruction.mnemonic.startswith("v_cmpx_")
    condition, suffix = instruction.mnemonic.split("_")[2:4]
    has_destination = len(instruction.operands) == 3
    compute = _comparison(instruction, registers, condition, type_of_suffix(suffix))
    register = instruction.operands[0].index if has_destination else VCC
    # From gfx10 on v_cmpx writes exec alone.
    writes_mask = not writes_exec or target.is_gfx9

    def write(wave: Wave, value: Any) -> None:
        mask = wave.active_mask(value)
        if writes_mask:
            wave.set_scalar(register, mask, wave.mask_registers)
        if writes_exec:
            wave.set_exec(mask)

    return VectorOp(compute, write)


def _comparison(
    instruction: Instruction, registers: Registers, condition: str, dtype: str
) -> Reader:
    first, second = instruction.operands[-2:]
    halves = instruction.bits("op_sel", 2)
    a = registers.read(first, dtype, halves[0])
    if condition == "class":
        wanted = registers.read(second, "u32")
        return lambda wave: (classify(a(wave)) & wanted(wave)) != 0
    if condition not in COMPARISONS:
        raise UnsupportedInstruction(f"comparison {condition!r}")
    compare = COMPARISONS[condition]
    b = registers.read(second, dtype, halves[1])
    return lambda wave: compare(a(wave), b(wave))


@HANDLERS.matches(r"v_cndmask_b(32|16)")
def _decode_select(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    destination, first, second, *mask = instruction.operands
    letter = "f" if any(o.negate or o.absolute for o in (first, second)) else "u"
    dtype = letter + instruction.mnemonic[-2:]
    halves = instruction.bits("op_sel", 4)
    otherwise = registers.read(first, dtype, halves[0])
    chosen = registers.read(second, dtype, halves[1])
    register = mask[0].index if mask else VCC
    return VectorOp(
        lambda wave: np.where(wave.lanes(register), chosen(wave), otherwise(wave)),
        registers.write(destination, dtype, halves[3]),
    )
