"""DPP: the first source of a vector instruction is read from another lane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..decoding.access import Execute, Reader, Registers, VectorOp
from ..decoding.instruction import Instruction, Operand
from ..errors import UnsupportedInstruction
from ..wave import Wave

_CONTROLS = (
    "quad_perm", "dpp8", "row_shl", "row_shr", "row_ror", "row_mirror", "row_half_mirror",
    "row_share", "row_newbcast", "row_xmask", "row_bcast",
    "wave_shl", "wave_shr", "wave_rol", "wave_ror",
)  # fmt: skip


@dataclass(frozen=True)
class LaneMap:
    """Where each lane reads from.

    ``written`` has the lanes that the row and bank masks leave; ``zero_fill`` says that a lane
    without a source gets zero instead of keeping its value; ``any_source`` that inactive lanes may
    be read.
    """

    source: Any
    valid: Any
    written: Any
    zero_fill: bool
    any_source: bool


def lane_map(instruction: Instruction, width: int) -> LaneMap | None:
    """The lane map that an instruction's modifiers ask for, if any."""
    control = next((c for c in _CONTROLS if c in instruction.modifiers), None)
    if control is None:
        return None
    lane = np.arange(width)
    source, valid = _sources(control, instruction.modifiers[control], lane, width)
    rows = instruction.integer("row_mask", 0xF) >> (lane // 16)
    banks = instruction.integer("bank_mask", 0xF) >> (lane % 16 // 4)
    fetch_inactive = "fi" in instruction.modifiers and instruction.modifiers["fi"] != "0"
    return LaneMap(
        source=np.where(valid, source, 0),
        valid=valid,
        written=(rows & banks & 1).astype(bool),
        # dpp8 has no such bit, and reads zero from an inactive lane.
        zero_fill="bound_ctrl" in instruction.modifiers or control == "dpp8",
        any_source=fetch_inactive,
    )


def _sources(control: str, argument: str, lane: Any, width: int) -> tuple[Any, Any]:
    """Source lane of each lane, and whether there is one."""
    row, column = lane & ~15, lane & 15
    everywhere = np.ones(width, bool)
    if control in ("quad_perm", "dpp8"):
        order = np.array([int(x) for x in argument.strip("[]").split(",")])
        group = len(order)
        return (lane & -group) + order[lane & (group - 1)], everywhere
    amount = int(argument, 0) if argument else 0
    simple = {
        "row_ror": row + ((column - amount) & 15),
        "row_mirror": row + 15 - column,
        "row_half_mirror": (lane & ~7) + 7 - (lane & 7),
        "row_share": row + amount,
        "row_newbcast": row + amount,
        "row_xmask": row + (column ^ amount),
        "wave_rol": (lane + 1) % width,
        "wave_ror": (lane - 1) % width,
    }
    if control in simple:
        return simple[control], everywhere
    bounded = {
        "row_shl": (lane + amount, column + amount < 16),
        "row_shr": (lane - amount, column - amount >= 0),
        "wave_shl": (lane + 1, lane < width - 1),
        "wave_shr": (lane - 1, lane > 0),
    }
    if control in bounded:
        return bounded[control]
    if amount == 15:  # row_bcast: the last lane of a row to the next row
        return row - 1, lane >= 16
    if amount == 31:
        return np.full(width, 31), lane >= 32
    raise UnsupportedInstruction(f"DPP control {control}:{argument}")


class _MappedRegisters(Registers):
    """Registers whose one operand is read through a lane map."""

    def __init__(self, operand: Operand, mapping: LaneMap) -> None:
        self._operand, self._mapping = operand, mapping

    def read(self, operand: Operand, dtype: str, high: bool | int = False) -> Reader:
        read = super().read(operand, dtype, high)
        # By identity: the same register may also be a source that is not mapped.
        if operand is not self._operand:
            return read
        mapping = self._mapping

        def read_mapped(wave: Wave) -> Any:
            value = np.broadcast_to(read(wave), (wave.width,))[mapping.source]
            return np.where(_has_source(mapping, wave), value, value.dtype.type(0))

        return read_mapped


def _has_source(mapping: LaneMap, wave: Wave) -> Any:
    return mapping.valid & (wave.active[mapping.source] | mapping.any_source)


def apply_lane_map(
    mapping: LaneMap, decode: Callable[[Registers], VectorOp], instruction: Instruction
) -> Execute:
    """Execute an instruction through a lane map."""
    first = instruction.operands[instruction.first_source]
    op = decode(_MappedRegisters(first, mapping))

    def execute(wave: Wave) -> None:
        before, all_before = wave.active, wave.all_active
        lanes = before & mapping.written
        if not mapping.zero_fill:
            lanes = lanes & _has_source(mapping, wave)
        value = op.compute(wave)
        wave.active, wave.all_active = lanes, False
        try:
            op.write(wave, value)
        finally:
            # An instruction that writes exec has already set both.
            if wave.active is lanes:
                wave.active, wave.all_active = before, all_before

    return execute
