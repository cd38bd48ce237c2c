"""Turns operands into functions that read and write the registers of a wave.

A reader gives one value per lane, or one scalar for all of them; numpy broadcasts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnsupportedInstruction
from ..values.numeric import BYTES, DTYPES, bf16_to_f32, f32_to_bf16, unsigned
from ..wave import Wave
from .instruction import Operand

Reader = Callable[[Wave], Any]
Writer = Callable[[Wave, Any], None]
Execute = Callable[[Wave], None]


@dataclass(frozen=True)
class Target:
    """What decoding must know about the target and the kernel."""

    arch: str
    wave_size: int
    base: int
    """Host address of the code object, which program counters are relative to."""

    @property
    def is_gfx9(self) -> bool:
        return self.arch.startswith("gfx9")

    @property
    def is_gfx12(self) -> bool:
        return self.arch.startswith("gfx12")

    @property
    def fp8_is_fnuz(self) -> bool:
        """Whether fp8 has no negative zero and no infinities (gfx942), unlike OCP's."""
        return self.arch == "gfx942"


class VectorOp(NamedTuple):
    """A vector instruction in two steps: everything is read before anything is written."""

    compute: Reader
    write: Writer


class Registers:
    """Readers and writers for the operands of one instruction."""

    def read(self, operand: Operand, dtype: str, high: bool | int = False) -> Reader:
        """A reader of ``operand``; ``high`` picks the upper half for 16-bit types."""
        read = _read_plain(operand, dtype, high)
        if operand.absolute:
            read = _then(np.abs, read)
        if operand.negate:
            read = _then(np.negative, read)
        return read

    def write(
        self, operand: Operand, dtype: str, high: bool | int = False, clear_high: bool = False
    ) -> Writer:
        """A writer of the active lanes; ``clear_high`` zeroes the other half of 16-bit results."""
        if operand.kind == "scalar":
            return _write_scalar(operand.index, dtype)
        if operand.kind != "vector":
            raise UnsupportedInstruction(f"destination {operand.text!r}")
        if BYTES[dtype] == 8:
            return _write_pair(operand.index, DTYPES[dtype])
        if BYTES[dtype] == 2:
            return _write_half(operand, dtype, high, clear_high)
        return _write_register(operand.index, dtype)


def _then(function: Callable[[Any], Any], read: Reader) -> Reader:
    return lambda wave: function(read(wave))


def _read_plain(operand: Operand, dtype: str, high: bool | int) -> Reader:
    if operand.kind == "vector":
        return _read_vector(operand, dtype, high)
    if operand.kind == "scalar":
        return _read_scalar(operand.index, dtype, high)
    if operand.kind == "constant":
        if high and isinstance(operand.value, int):
            operand = replace(operand, value=operand.value >> 16 & 0xFFFF)
        value = operand.constant(dtype)
        return lambda wave: value
    if operand.kind == "status":
        return _read_status(operand.text.removeprefix("src_"), DTYPES[dtype])
    raise UnsupportedInstruction(f"operand {operand.text!r}")


def _read_vector(operand: Operand, dtype: str, high: bool | int) -> Reader:
    index, size = operand.index, BYTES[dtype]
    if size == 4:
        return lambda wave: wave.typed[dtype][index]
    if size == 8:
        return lambda wave: _join(wave.vector[index], wave.vector[index + 1]).view(DTYPES[dtype])
    half = int(operand.half == "h" or bool(high))
    if dtype == "bf16":
        return lambda wave: bf16_to_f32(wave.typed["u16"][index, half::2])
    return lambda wave: wave.typed[dtype][index, half::2]


def _join(low: Any, high: Any) -> Any:
    return low.astype(np.uint64) | (high.astype(np.uint64) << np.uint64(32))


def _read_scalar(index: int, dtype: str, high: bool | int) -> Reader:
    kind = DTYPES[dtype]
    shift = 16 if high else 0
    if dtype == "bf16":
        return lambda wave: bf16_to_f32(wave.scalar[index] >> shift & 0xFFFF)
    if BYTES[dtype] == 2:
        return lambda wave: np.uint16(wave.scalar[index] >> shift & 0xFFFF).view(kind)
    if BYTES[dtype] == 4:
        return lambda wave: np.uint32(wave.scalar[index]).view(kind)
    return lambda wave: np.uint64(wave.pair(index)).view(kind)


def _read_status(name: str, kind: Any) -> Reader:
    if name == "scc":
        return lambda wave: kind(wave.scc)
    if name == "execz":
        return lambda wave: kind(wave.exec == 0)
    return lambda wave: kind(wave.mask(106) == 0)


def _write_scalar(index: int, dtype: str) -> Writer:
    registers = max(BYTES[dtype] // 4, 1)

    def write(wave: Wave, value: Any) -> None:
        typed = np.asarray(value, DTYPES[dtype]).reshape(-1)[:1]
        wave.set_scalar(index, int(typed.view(unsigned(dtype))[0]), registers)

    return write


def _write_register(index: int, dtype: str) -> Writer:
    kind = np.dtype(DTYPES[dtype])

    def write(wave: Wave, value: Any) -> None:
        row = wave.typed[dtype][index]
        if getattr(value, "dtype", None) != kind:
            value = np.asarray(value).astype(kind)
        if wave.all_active:
            row[:] = value
        else:
            np.copyto(row, value, where=wave.active)

    return write


def _write_pair(index: int, kind: Any) -> Writer:
    def write(wave: Wave, value: Any) -> None:
        bits = np.broadcast_to(np.asarray(value, kind), (wave.width,)).copy().view(np.uint64)
        high = (bits >> np.uint64(32)).astype(np.uint32)
        np.copyto(wave.vector[index], bits.astype(np.uint32), where=wave.active)
        np.copyto(wave.vector[index + 1], high, where=wave.active)

    return write


def _write_half(operand: Operand, dtype: str, high: bool | int, clear_high: bool) -> Writer:
    index, half = operand.index, int(operand.half == "h" or bool(high))

    def write(wave: Wave, value: Any) -> None:
        if dtype == "bf16":
            bits = f32_to_bf16(value)
        else:
            bits = np.asarray(value, DTYPES[dtype]).view(np.uint16)
        halves = wave.typed["u16"][index]
        np.copyto(halves[half::2], bits, where=wave.active)
        if clear_high:
            np.copyto(halves[1::2], np.uint16(0), where=wave.active)

    return write
