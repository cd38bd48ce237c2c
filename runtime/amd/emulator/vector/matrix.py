"""Matrix instructions: D = A B + C over the registers of a whole wave.

What the families differ in, namely which lane and register holds which element, is described by
``matrix_layouts``; the arithmetic is here. A dot product is summed in f64 and rounded once, so
results are to be compared with a tolerance.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..decoding.access import Reader, Registers, Target, VectorOp, Writer
from ..decoding.handlers import Handlers
from ..decoding.instruction import Instruction, Operand
from ..errors import IllegalExecution, UnsupportedInstruction
from ..values.numeric import FP8_VALUES, MASK32, bf16_to_f32, f32_to_bf16
from ..wave import Wave
from .matrix_layouts import MatrixLayout, Shape, mfma_layout, wmma_gfx11_layout, wmma_gfx12_layout

HANDLERS: Handlers[Callable[[Instruction, Registers, Target], VectorOp]] = Handlers()

_NAME = re.compile(r"v_(wmma|mfma)_(f64|f32|f16|bf16|i32)_(\d+)x(\d+)x(\d+)_?(.*)")
_ELEMENT_BITS = {
    "f64": 64, "f32": 32, "f16": 16, "bf16": 16, "i8": 8, "u8": 8, "fp8": 8, "bf8": 8,
    "i4": 4, "u4": 4,
}  # fmt: skip


@HANDLERS.matches(r"v_(wmma|mfma|smfmac|swmmac)_.*")
def _decode_matrix(instruction: Instruction, registers: Registers, target: Target) -> VectorOp:
    match = _NAME.fullmatch(instruction.mnemonic)
    if match is None:
        raise UnsupportedInstruction("this family of matrix instructions")
    family, result, kind = match[1], match[2], match[6]
    shape = Shape(*(int(match[group]) for group in (3, 4, 5)))
    types = _element_types(kind, instruction)
    _refuse_modifiers(instruction, is_integer=result == "i32")
    if family == "mfma":
        layout = mfma_layout(shape, target.wave_size, result)
    elif target.is_gfx12:
        layout = wmma_gfx12_layout(shape, target.wave_size)
    else:
        layout = wmma_gfx11_layout(shape, target.wave_size)
    destination, first, second, accumulator = instruction.operands
    a = _read_operand(first, types[0], layout, target)
    b = _read_operand(second, types[1], layout, target)
    high = instruction.bits("op_sel", 3)[2]
    c = _read_accumulator(accumulator, result, layout, high)

    def compute(wave: Wave) -> Any:
        if not wave.all_active:
            raise IllegalExecution("matrix instruction with inactive lanes")
        product = a(wave) @ b(wave).T
        return product[layout.rows, layout.columns] + c(wave)

    clamp = "clamp" in instruction.modifiers
    return VectorOp(compute, _write_result(destination, result, layout, high, clamp))


def _element_types(kind: str, instruction: Instruction) -> tuple[str, str]:
    if match := re.fullmatch(r"(fp8|bf8)_(fp8|bf8)", kind):
        return match[1], match[2]
    if match := re.fullmatch(r"iu(4|8)", kind):
        signs = instruction.bits("neg_lo", 2)
        return tuple(("i" if sign else "u") + match[1] for sign in signs)
    kind = kind.removesuffix("_1k")
    if kind not in ("f16", "bf16", "f32", "f64", "i8"):
        raise UnsupportedInstruction(f"matrix elements of type {kind!r}")
    return kind, kind


def _refuse_modifiers(instruction: Instruction, is_integer: bool) -> None:
    if any(instruction.integer(name) for name in ("cbsz", "abid", "blgp")):
        raise UnsupportedInstruction("broadcast or negation of matrix operands")
    negations = [] if is_integer else instruction.bits("neg_lo", 3)
    if any(negations + instruction.bits("neg_hi", 3)):
        raise UnsupportedInstruction("negation of matrix operands")


def _read_operand(operand: Operand, kind: str, layout: MatrixLayout, target: Target) -> Reader:
    """A reader of A or B as a matrix of (row of A or column of B, k)."""
    registers = max(layout.elements * _ELEMENT_BITS[kind] // 32, 1)
    rows = slice(operand.index, operand.index + registers)

    def read(wave: Wave) -> Any:
        words = np.ascontiguousarray(wave.vector[rows].T)
        elements = _unpack(words, kind, target.fp8_is_fnuz)[:, : layout.elements]
        size = layout.shape.rows
        if layout.replicated:
            first, second = elements[:size], elements[size : 2 * size]
            if not np.array_equal(first, second, equal_nan=first.dtype.kind == "f"):
                raise IllegalExecution("operand differs between the halves of the wave")
            return first
        groups = elements.reshape(-1, size, layout.elements)
        return groups.transpose(1, 0, 2).reshape(size, layout.shape.depth)

    return read


def _unpack(words: Any, kind: str, fnuz: bool) -> Any:
    """The elements that each lane holds, wide enough to compute with."""
    if kind in ("f16", "f32"):
        return words.view(kind.replace("f", "float")).astype(np.float64)
    if kind == "f64":
        return words.view(np.float64)
    if kind == "bf16":
        return bf16_to_f32(words.view(np.uint16)).astype(np.float64)
    if kind in ("fp8", "bf8"):
        return FP8_VALUES[kind, fnuz][words.view(np.uint8)].astype(np.float64)
    if kind in ("i8", "u8"):
        return words.view(np.int8 if kind == "i8" else np.uint8).astype(np.int64)
    codes = words.view(np.uint8)
    nibbles = np.stack([codes & 15, codes >> 4], -1).reshape(len(codes), -1).astype(np.int64)
    return (nibbles ^ 8) - 8 if kind == "i4" else nibbles


def _accumulator_slots(layout: MatrixLayout, high: int) -> list[tuple[int, int]]:
    """Register and half of each element of a 16-bit accumulator."""
    if layout.half_accumulators:
        return [(element, high) for element in range(layout.results)]
    return [(element // 2, element % 2) for element in range(layout.results)]


def _read_accumulator(operand: Operand, kind: str, layout: MatrixLayout, high: int) -> Reader:
    count, first = layout.results, operand.index
    wide = np.int64 if kind == "i32" else np.float64
    if operand.kind == "constant":
        value = wide(operand.constant(kind))
        return lambda wave: value
    if kind in ("f32", "i32"):
        return lambda wave: wave.typed[kind][first : first + count].astype(wide)
    if kind == "f64":
        return lambda wave: _read_pairs(wave.vector[first : first + 2 * count])
    slots = _accumulator_slots(layout, high)

    def read(wave: Wave) -> Any:
        halves = wave.typed["u16"]
        bits = np.stack([halves[first + register, half::2] for register, half in slots])
        return (bits.view(np.float16) if kind == "f16" else bf16_to_f32(bits)).astype(np.float64)

    return read


def _read_pairs(registers: Any) -> Any:
    low, high = registers[::2].astype(np.uint64), registers[1::2].astype(np.uint64)
    return (low | high << np.uint64(32)).view(np.float64)


def _write_result(
    operand: Operand, kind: str, layout: MatrixLayout, high: int, clamp: bool
) -> Writer:
    count, first = layout.results, operand.index
    slots = _accumulator_slots(layout, high)

    def write(wave: Wave, value: Any) -> None:
        if kind == "f32":
            wave.typed["f32"][first : first + count] = value.astype(np.float32)
        elif kind == "i32" and clamp:
            wave.typed["i32"][first : first + count] = np.clip(value, -(2**31), 2**31 - 1)
        elif kind == "i32":
            wave.vector[first : first + count] = (value & MASK32).astype(np.uint32)
        elif kind == "f64":
            bits = value.view(np.uint64)
            wave.vector[first : first + 2 * count : 2] = bits.astype(np.uint32)
            wave.vector[first + 1 : first + 2 * count : 2] = (bits >> np.uint64(32)).astype(
                np.uint32
            )
        else:
            bits = value.astype(np.float16).view(np.uint16) if kind == "f16" else f32_to_bf16(value)
            for (register, half), row in zip(slots, bits, strict=True):
                wave.typed["u16"][first + register, half::2] = row

    return write
