"""Parses a printed instruction: its mnemonic, operands and modifiers."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import UnsupportedInstruction
from ..values.numeric import BYTES, DTYPES, MASK32, f32_to_bf16

# Scalar registers beyond the general ones.
VCC, M0, NULL, EXEC = 106, 124, 125, 126
_FIRST_TRAP_REGISTER = 108
FIRST_ACCUMULATOR = 256
_NAMED_SGPRS = {
    "flat_scratch": (102, 2), "flat_scratch_lo": (102, 1), "flat_scratch_hi": (103, 1),
    "xnack_mask": (104, 2), "xnack_mask_lo": (104, 1), "xnack_mask_hi": (105, 1),
    "vcc": (VCC, 2), "vcc_lo": (VCC, 1), "vcc_hi": (VCC + 1, 1),
    "m0": (M0, 1), "null": (NULL, 1),
    "exec": (EXEC, 2), "exec_lo": (EXEC, 1), "exec_hi": (EXEC + 1, 1),
}  # fmt: skip

# High halves of the flat addresses under which LDS and scratch appear.
LDS_APERTURE, SCRATCH_APERTURE = 0x7FF1, 0x7FF2
_APERTURES = {
    "src_shared_base": LDS_APERTURE << 32,
    "src_shared_limit": LDS_APERTURE << 32 | 0xFFFF,
    "src_private_base": SCRATCH_APERTURE << 32,
    "src_private_limit": SCRATCH_APERTURE << 32 | MASK32,
}

_WRAPPED = re.compile(r"(-?)(neg|abs|sext)\((.*)\)")
_BARS = re.compile(r"(-?)\|(.*)\|")
_NEGATED_REGISTER = re.compile(r"-([vas]\d.*|[vas]\[.*|vcc.*|src.*|ttmp.*|m0)")
_REGISTER = re.compile(r"(v|a|s|ttmp)(\d+)")
_REGISTERS = re.compile(r"(v|a|s|ttmp)\[(\d+)(?::(\d+))?\]")
_INTEGER = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)")
_FLOAT = re.compile(r"-?\d*\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+")
_LITERAL = re.compile(r"lit(?:64)?\((.*)\)")
# The inline constant 1/(2 pi) is printed with the digits of the narrowest type.
_INVERSE_TWO_PI = 0.15915494309189532


@dataclass(frozen=True)
class Operand:
    """An operand of an instruction.

    ``kind`` is ``vector`` or ``scalar`` for registers, ``constant`` for immediates, ``status`` for
    scc, vccz and execz, ``off`` for an absent address, ``other`` for what only some instructions
    know.
    """

    text: str
    kind: str
    index: int = 0
    """Row of the register file; accumulation registers follow the vector registers."""
    count: int = 1
    value: int | float = 0
    negate: bool = False
    absolute: bool = False
    sign_extend: bool = False
    half: str = ""
    """``l`` or ``h`` where the register's name says which half is meant."""

    @property
    def is_null(self) -> bool:
        return self.kind == "scalar" and self.index == NULL

    def shifted(self, registers: int) -> Operand:
        """The operand that many registers further on."""
        return replace(self, index=self.index + registers)

    def constant(self, dtype: str) -> Any:
        """An immediate as a numpy scalar."""
        size = BYTES[dtype]
        if isinstance(self.value, float):
            return _float_constant(self.value, dtype)
        value = self.value
        if dtype == "f64" and not -16 <= value <= 64 and 0 <= value <= MASK32:
            value <<= 32  # a 32-bit literal gives the high half of an f64
        raw = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        if dtype == "bf16":
            return np.frombuffer(b"\0\0" + raw, np.float32)[0]
        return np.frombuffer(raw, DTYPES[dtype])[0]


def _float_constant(value: float, dtype: str) -> Any:
    if abs(value - _INVERSE_TWO_PI) < 1e-6:
        value = _INVERSE_TWO_PI
    if dtype == "bf16":
        raw = b"\0\0" + f32_to_bf16(value).tobytes()
        return np.frombuffer(raw, np.float32)[0]
    form = {2: "<e", 4: "<f", 8: "<d"}[BYTES[dtype]]
    return np.frombuffer(struct.pack(form, value), DTYPES[dtype])[0]


@dataclass(frozen=True)
class Instruction:
    """A parsed instruction."""

    text: str
    mnemonic: str
    """Without the suffixes that tell encodings apart."""
    operands: tuple[Operand, ...]
    modifiers: dict[str, str]
    """Value of each modifier; empty for a flag."""
    address: int = 0
    """Offset from the start of the code object."""
    size: int = 4
    word: int = 0

    @property
    def next_address(self) -> int:
        return self.address + self.size

    @property
    def first_source(self) -> int:
        """Position of a vector instruction's first source among its operands."""
        if self.mnemonic.startswith("v_cmp"):
            return len(self.operands) - 2  # v_cmpx may have no destination
        return 2 if "_co_" in self.mnemonic else 1  # a carry is the second destination

    def bits(self, modifier: str, count: int, default: int = 0) -> list[int]:
        """A modifier such as ``op_sel:[0,1]``, one bit a source, padded with zeros."""
        if modifier not in self.modifiers:
            return [default] * count
        given = [int(bit) for bit in self.modifiers[modifier].strip("[]").split(",")]
        return (given + [0] * count)[:count]

    def integer(self, modifier: str, default: int = 0) -> int:
        return int(self.modifiers[modifier], 0) if modifier in self.modifiers else default

    @property
    def returns_old_value(self) -> bool:
        """Whether an atomic gives back what was in memory."""
        mods = self.modifiers
        return "glc" in mods or "sc0" in mods or "RETURN" in mods.get("th", "")


def parse_operand(text: str) -> Operand:
    """Parse one operand, source modifiers included."""
    rest, flags = _strip_modifiers(text)
    if rest.endswith((".l", ".h")) and rest[0] in "va":
        flags["half"] = rest[-1]
        rest = rest[:-2]
    return replace(_parse_plain(rest), text=text, **flags)


def _strip_modifiers(text: str) -> tuple[str, dict[str, Any]]:
    flags: dict[str, Any] = {}
    names = {"neg": "negate", "abs": "absolute", "sext": "sign_extend"}
    while match := _WRAPPED.fullmatch(text):
        flags[names[match[2]]] = True
        if match[1]:
            flags["negate"] = True
        text = match[3]
    if match := _BARS.fullmatch(text):
        flags["absolute"] = True
        if match[1]:
            flags["negate"] = True
        text = match[2]
    if match := _NEGATED_REGISTER.fullmatch(text):
        flags["negate"] = True
        text = match[1]
    return text, flags


def _parse_plain(text: str) -> Operand:
    if match := _REGISTER.fullmatch(text) or _REGISTERS.fullmatch(text):
        bounds = [int(bound) for bound in match.groups()[1:] if bound is not None]
        return _register(text, match[1], bounds[0], bounds[-1] - bounds[0] + 1)
    if text in _NAMED_SGPRS:
        index, count = _NAMED_SGPRS[text]
        return Operand(text, "scalar", index, count)
    if text == "off":
        return Operand(text, "off")
    if text.removeprefix("src_") in ("scc", "vccz", "execz"):
        return Operand(text, "status")
    if text in _APERTURES:
        return Operand(text, "constant", value=_APERTURES[text])
    if match := _LITERAL.fullmatch(text):
        return Operand(text, "constant", value=int(match[1], 0))
    if _INTEGER.fullmatch(text):
        return Operand(text, "constant", value=int(text, 0))
    if _FLOAT.fullmatch(text):
        return Operand(text, "constant", value=float(text))
    return Operand(text, "other")


def _register(text: str, letter: str, first: int, count: int) -> Operand:
    if letter in "va":
        return Operand(text, "vector", first + (FIRST_ACCUMULATOR if letter == "a" else 0), count)
    return Operand(text, "scalar", first + (_FIRST_TRAP_REGISTER if letter == "ttmp" else 0), count)


def _split_operands(text: str) -> list[str]:
    parts, depth, current = [], 0, ""
    for character in text:
        depth += (character in "[(") - (character in "])")
        if character == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    return parts + [current.strip()] if current.strip() else parts


_TOKEN = re.compile(r"(?:[^\s\[(]|\[[^\]]*\]|\([^)]*\))+")
# Modifiers may stand where an instruction without operands has its first one.
_LEADING_MODIFIER = re.compile(r"(offset|row_|quad_perm|offen|idxen|sc\d|nv|scope).*")
_ENCODING = re.compile(r"(_e32|_e64_dpp|_e64|_dpp8|_dpp|_sdwa)+$")


def parse(text: str, address: int = 0, size: int = 4, word: int = 0) -> Instruction:
    """Parse ``mnemonic a, b, c modifier:value flag``."""
    mnemonic, _, rest = text.partition(" ")
    operands: list[Operand] = []
    modifiers: dict[str, str] = {}
    for part in _split_operands(rest):
        tokens = _TOKEN.findall(part)
        if not operands and _LEADING_MODIFIER.fullmatch(tokens[0]):
            tokens.insert(0, "")
        if tokens[0]:
            operands.append(parse_operand(tokens[0]))
        for token in tokens[1:]:
            name, _, value = token.partition(":")
            modifiers[name] = value
    mnemonic = _ENCODING.sub("", mnemonic)
    return Instruction(text, mnemonic, tuple(operands), modifiers, address, size, word)


def split_dual(instruction: Instruction) -> list[Instruction]:
    """The two halves of a dual-issue instruction, as the instructions they stand for."""
    halves = []
    for text in instruction.text.split(" :: "):
        if not text.startswith("v_dual_"):
            raise UnsupportedInstruction(f"half `{text}` of a dual-issue instruction")
        halves.append(parse("v_" + text.removeprefix("v_dual_"), instruction.address))
    return halves
