"""The decoded instructions of a code object, for one wave size."""

from __future__ import annotations

from typing import NamedTuple

from .decoding.access import Execute, Target
from .decoding.disassembler import Line, disassemble
from .decoding.instruction import Instruction, parse
from .errors import IllegalExecution, UnsupportedInstruction
from .loading.code_object import CodeObject
from .memory import buffer_access, global_access, lds_access
from .scalar.decode import decode as decode_scalar
from .vector.decode import decode as decode_vector

_DECODERS = {
    "s": decode_scalar,
    "v": decode_vector,
    "global": global_access.decode,
    "flat": global_access.decode,
    "scratch": global_access.decode,
    "buffer": buffer_access.decode,
    "ds": lds_access.decode,
}
_BARRIERS = ("s_barrier", "s_barrier_wait")


class Step(NamedTuple):
    """A decoded instruction."""

    execute: Execute
    following: int
    """Offset of the next instruction, unless this one branches."""
    is_barrier: bool
    is_end: bool
    text: str


class Program:
    """Decodes instructions when they are first reached.

    A code object may hold instructions that no launch executes, which need not be supported.
    """

    def __init__(self, code_object: CodeObject, wave_size: int) -> None:
        self.target = Target(code_object.arch, wave_size, code_object.base)
        self._lines: dict[int, Line] = disassemble(code_object.data)
        self._steps: dict[int, Step] = {}

    def step(self, address: int) -> Step:
        """The instruction at an offset from the start of the code object."""
        step = self._steps.get(address)
        if step is None:
            step = self._steps[address] = self._decode(address)
        return step

    def _decode(self, address: int) -> Step:
        line = self._lines.get(address)
        if line is None:
            raise IllegalExecution(f"no instruction at {address:#x}")
        instruction = parse(line.text, address, line.size, line.word)
        try:
            execute = _find_decoder(instruction)(instruction, self.target)
        except UnsupportedInstruction as error:
            raise UnsupportedInstruction(
                f"{self.target.arch}: `{line.text}` at {address:#x} is not emulated: {error}"
            ) from None
        return Step(
            execute,
            instruction.next_address,
            instruction.mnemonic in _BARRIERS,
            instruction.mnemonic == "s_endpgm",
            line.text,
        )


def _find_decoder(instruction: Instruction):
    unit = instruction.mnemonic.partition("_")[0]
    if unit not in _DECODERS:
        raise UnsupportedInstruction("unknown unit")
    return _DECODERS[unit]
