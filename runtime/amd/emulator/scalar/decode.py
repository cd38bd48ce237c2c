"""Scalar instructions: arithmetic, comparisons, execution masks and moves."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..decoding.access import Execute, Registers, Target
from ..decoding.handlers import Handlers
from ..decoding.instruction import EXEC, Instruction, Operand
from ..errors import UnsupportedInstruction
from ..values.numeric import DTYPES, sign_extend, unsigned
from ..vector.compare import COMPARISONS
from ..vector.floats import TABLE as FLOAT_TABLE
from ..wave import Wave
from . import control, loads
from .table import LOGIC, TABLE

_HANDLERS: Handlers[Callable[[Instruction, Target], Execute]] = Handlers()
ScalarReader = Callable[[Wave], int]

# A 16-bit immediate, printed unsigned, that is to be sign-extended.
_SIGNED_IMMEDIATE = re.compile(r"s_(movk|addk|mulk|cmovk|cmpk_\w+)(_co)?_i32")


def decode(instruction: Instruction, target: Target) -> Execute:
    """The function that executes a scalar instruction."""
    for module in (control, loads):
        handler = module.HANDLERS.find(instruction.mnemonic)
        if handler is not None:
            return handler(instruction, target)
    instruction = _extend_immediate(instruction)
    if instruction.mnemonic in TABLE:
        return _decode_integer(instruction)
    handler = _HANDLERS.find(instruction.mnemonic)
    if handler is None:
        raise UnsupportedInstruction("no semantics for this scalar instruction")
    return handler(instruction, target)


def _extend_immediate(instruction: Instruction) -> Instruction:
    last = instruction.operands[-1] if instruction.operands else None
    if (
        last is None
        or last.kind != "constant"
        or not _SIGNED_IMMEDIATE.fullmatch(instruction.mnemonic)
    ):
        return instruction
    extended = replace(last, value=sign_extend(int(last.value) & 0xFFFF, 16))
    return replace(instruction, operands=(*instruction.operands[:-1], extended))


def read_scalar(operand: Operand, bits: int) -> ScalarReader:
    """A reader of an unsigned integer."""
    index = operand.index
    if operand.kind == "scalar" and bits == 64:
        return lambda wave: wave.pair(index)
    if operand.kind == "scalar":
        return lambda wave: wave.scalar[index]
    read = Registers().read(operand, f"u{bits}")
    if operand.kind == "constant":
        value = int(read(None))  # type: ignore[arg-type]  # a constant needs no wave
        return lambda wave: value
    return lambda wave: int(read(wave))


def _decode_integer(instruction: Instruction) -> Execute:
    operation = TABLE[instruction.mnemonic]
    destination, *sources = instruction.operands
    if operation.reads_destination:
        sources.insert(0, destination)
    if len(sources) != len(operation.sources):
        raise UnsupportedInstruction(
            f"expected {len(operation.sources)} sources, got {len(sources)}"
        )
    readers = [read_scalar(o, bits) for o, bits in zip(sources, operation.sources, strict=True)]
    if operation.reads_scc:
        readers.append(lambda wave: wave.scc)
    function, index = operation.function, destination.index
    registers, mask = operation.result // 32, (1 << operation.result) - 1

    def execute(wave: Wave) -> None:
        result = function(*[read(wave) for read in readers])
        if operation.scc == "flag":
            result, scc = result
            wave.scc = int(scc)
        elif operation.scc == "nonzero":
            wave.scc = int(result & mask != 0)
        wave.set_scalar(index, result & mask, registers)

    return execute


_INTEGER_COMPARISONS = {
    "eq": operator.eq, "lg": operator.ne, "gt": operator.gt,
    "ge": operator.ge, "lt": operator.lt, "le": operator.le,
}  # fmt: skip


@_HANDLERS.matches(r"s_cmpk?_(eq|lg|gt|ge|lt|le)_(u32|i32|u64)")
def _decode_compare(instruction: Instruction, target: Target) -> Execute:
    _, condition, dtype = instruction.mnemonic.rsplit("_", 2)
    bits, compare = int(dtype[1:]), _INTEGER_COMPARISONS[condition]
    a, b = (read_scalar(operand, bits) for operand in instruction.operands)

    def execute(wave: Wave) -> None:
        x, y = a(wave), b(wave)
        if dtype == "i32":
            x, y = sign_extend(x, 32), sign_extend(y, 32)
        wave.scc = int(compare(x, y))

    return execute


@_HANDLERS.matches(r"s_cmp_\w+_f(16|32)")
def _decode_float_compare(instruction: Instruction, target: Target) -> Execute:
    condition, dtype = instruction.mnemonic.split("_")[2:]
    if condition not in COMPARISONS:
        raise UnsupportedInstruction(f"comparison {condition!r}")
    compare = COMPARISONS[condition]
    a, b = (Registers().read(operand, dtype) for operand in instruction.operands)

    def execute(wave: Wave) -> None:
        wave.scc = int(bool(compare(a(wave), b(wave))))

    return execute


@_HANDLERS.matches(r"s_bitcmp(0|1)_b(32|64)")
def _decode_bit_test(instruction: Instruction, target: Target) -> Execute:
    wanted, bits = int(instruction.mnemonic[8]), int(instruction.mnemonic[-2:])
    value, position = instruction.operands
    read, read_position = read_scalar(value, bits), read_scalar(position, 32)

    def execute(wave: Wave) -> None:
        wave.scc = int((read(wave) >> read_position(wave) % bits & 1) == wanted)

    return execute


@_HANDLERS.matches(r"s_\w+_(saveexec|wrexec)_b(32|64)")
def _decode_exec_update(instruction: Instruction, target: Target) -> Execute:
    name, kind, bits_text = re.fullmatch(
        r"s_(\w+)_(saveexec|wrexec)_b(\d+)", instruction.mnemonic
    ).groups()
    if name not in LOGIC:
        raise UnsupportedInstruction("this update of exec")
    destination, source = instruction.operands
    bits, function, read = int(bits_text), LOGIC[name], read_scalar(source, int(bits_text))
    registers, mask = bits // 32, (1 << bits) - 1

    def execute(wave: Wave) -> None:
        before = wave.pair(EXEC) & mask
        after = function(read(wave), before) & mask
        wave.set_scalar(EXEC, after, registers)
        wave.set_scalar(destination.index, before if kind == "saveexec" else after, registers)
        wave.scc = int(after != 0)

    return execute


@_HANDLERS.matches(r"s_\w+_f(16|32)|s_cvt_\w+_f32")
def _decode_float(instruction: Instruction, target: Target) -> Execute:
    """Float instructions of the scalar unit do what the vector ones do."""
    mnemonic = "v_" + instruction.mnemonic.removeprefix("s_")
    destination, *sources = instruction.operands
    high = 0
    if mnemonic == "v_cvt_hi_f32_f16":
        mnemonic, high = "v_cvt_f32_f16", 1
    operation = FLOAT_TABLE.get(mnemonic)
    if operation is None:
        raise UnsupportedInstruction("no semantics for this scalar float instruction")
    if "fmac" in mnemonic:
        sources.append(destination)
    typed = zip(sources, operation.sources, strict=True)
    readers = [Registers().read(operand, dtype, high) for operand, dtype in typed]
    dtype, bits = DTYPES[operation.result], unsigned(operation.result)

    def execute(wave: Wave) -> None:
        result = np.asarray(operation.function(*[read(wave) for read in readers]))
        wave.set_scalar(destination.index, int(result.astype(dtype).reshape(-1).view(bits)[0]))

    return execute


@_HANDLERS.matches(r"s_cvt_f32_[iu]32")
def _decode_float_conversion(instruction: Instruction, target: Target) -> Execute:
    return _decode_float(instruction, target)
