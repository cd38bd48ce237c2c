"""ds permutations: lanes exchange values through the LDS hardware, without its memory."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..decoding.access import Execute, Registers, Target
from ..decoding.instruction import Instruction
from ..errors import UnsupportedInstruction
from ..wave import Wave


def decode(instruction: Instruction, target: Target) -> Execute:
    """The function that executes a ds permutation."""
    if "swizzle" in instruction.mnemonic:
        return _decode_swizzle(instruction, target)
    if "bpermute" in instruction.mnemonic:
        return _decode_pull(instruction, target)
    return _decode_push(instruction, target)


def _named_lane(address: Any, offset: int, target: Target) -> Any:
    """The lane that byte addresses name; waves of 64 from gfx10 on permute within halves."""
    lane = ((address + np.uint32(offset)) >> np.uint32(2)).astype(np.int64)
    if target.is_gfx9 or target.wave_size == 32:
        return lane % target.wave_size
    return lane % 32 + (np.arange(target.wave_size) & 32)


def _decode_pull(instruction: Instruction, target: Target) -> Execute:
    registers = Registers()
    destination, address, data = instruction.operands
    read_address, read = registers.read(address, "u32"), registers.read(data, "u32")
    write = registers.write(destination, "u32")
    offset, fetch_inactive = instruction.integer("offset"), "_fi_" in instruction.mnemonic

    def execute(wave: Wave) -> None:
        source = _named_lane(read_address(wave), offset, target)
        value = np.broadcast_to(read(wave), (wave.width,))[source]
        write(wave, np.where(wave.active[source] | fetch_inactive, value, np.uint32(0)))

    return execute


def _decode_push(instruction: Instruction, target: Target) -> Execute:
    registers = Registers()
    destination, address, data = instruction.operands
    read_address, read = registers.read(address, "u32"), registers.read(data, "u32")
    write = registers.write(destination, "u32")
    offset = instruction.integer("offset")

    def execute(wave: Wave) -> None:
        to = _named_lane(read_address(wave), offset, target)[wave.active]
        received = np.zeros(wave.width, np.uint32)
        received[to] = np.broadcast_to(read(wave), (wave.width,))[wave.active]
        write(wave, received)

    return execute


def _decode_swizzle(instruction: Instruction, target: Target) -> Execute:
    registers = Registers()
    destination, data = instruction.operands
    pattern = instruction.modifiers.get("offset", "0")
    source = _swizzle_sources(pattern, np.arange(target.wave_size))
    read, write = registers.read(data, "u32"), registers.write(destination, "u32")

    def execute(wave: Wave) -> None:
        value = np.broadcast_to(read(wave), (wave.width,))[source]
        write(wave, np.where(wave.active[source], value, np.uint32(0)))

    return execute


def _swizzle_sources(pattern: str, lane: Any) -> Any:
    match = re.fullmatch(r"swizzle\((\w+),(.*)\)", pattern)
    if match:
        return _named_sources(match[1], match[2], lane)
    code = int(pattern, 0)
    if code < 0x8000:
        return _masked_sources(lane, code & 31, code >> 5 & 31, code >> 10 & 31)
    if code & 0xFF00 == 0x8000:
        order = np.array([code >> 2 * position & 3 for position in range(4)])
        return (lane & ~3) + order[lane & 3]
    raise UnsupportedInstruction(f"swizzle pattern {pattern}")


def _named_sources(name: str, argument: str, lane: Any) -> Any:
    if name == "BITMASK_PERM":
        return _bitmask_sources(argument.strip('"'), lane)
    numbers = [int(number) for number in argument.split(",")]
    if name == "QUAD_PERM":
        return (lane & ~3) + np.array(numbers)[lane & 3]
    group = numbers[0]
    if name == "SWAP":
        return lane ^ group
    if name == "REVERSE":
        return (lane & -group) + group - 1 - (lane & (group - 1))
    if name == "BROADCAST":
        return (lane & -group) + numbers[1]
    raise UnsupportedInstruction(f"swizzle {name}")


def _bitmask_sources(letters: str, lane: Any) -> Any:
    """Five letters, one a bit of the lane: 0, 1, p(reserve) or i(nvert)."""
    kept = int("".join(str(int(letter in "pi")) for letter in letters), 2)
    ones = int("".join(str(int(letter == "1")) for letter in letters), 2)
    flipped = int("".join(str(int(letter == "i")) for letter in letters), 2)
    return _masked_sources(lane, kept, ones, flipped)


def _masked_sources(lane: Any, kept: int, ones: int, flipped: int) -> Any:
    return (lane & 32) + ((((lane & 31) & kept) | ones) ^ flipped)
