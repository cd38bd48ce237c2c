"""Moves data between vector registers and memory in the formats of loads and stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..decoding.instruction import Operand
from ..wave import Wave

Scatter = Callable[[Wave, Any], None]
Gather = Callable[[Wave], Any]


class LoadFormat(NamedTuple):
    """Bytes in memory, whether they are sign-extended, and the half that they go to, if one."""

    size: int
    signed: bool = False
    half: str = ""


class StoreFormat(NamedTuple):
    """Bytes in memory, and whether they come from the upper half of the register."""

    size: int
    high: bool = False


def _whole_registers(form: Any) -> dict[str, Any]:
    formats = {}
    for count, old in ((1, "dword"), (2, "dwordx2"), (3, "dwordx3"), (4, "dwordx4")):
        formats[old] = formats[f"b{32 * count}"] = form(4 * count)
    return formats


def _load_formats() -> dict[str, LoadFormat]:
    formats: dict[str, LoadFormat] = _whole_registers(LoadFormat)
    names = {"u8": "ubyte", "i8": "sbyte", "u16": "ushort", "i16": "sshort"}
    for new, old in names.items():
        size, signed = int(new[1:]) // 8, new[0] == "i"
        formats[new] = formats[old] = LoadFormat(size, signed)
        # 16-bit data has one form into a half, named differently on each generation.
        stem = "short" if size == 2 else old
        for suffix, half in (("", "l"), ("_hi", "h")):
            for name in (f"{stem}_d16{suffix}", f"d16{suffix}_{new}", f"{new}_d16{suffix}"):
                formats[name] = LoadFormat(size, signed, half)
            if size == 2:
                formats[f"d16{suffix}_b16"] = LoadFormat(2, False, half)
    return formats


def _store_formats() -> dict[str, StoreFormat]:
    formats: dict[str, StoreFormat] = _whole_registers(StoreFormat)
    for new, old in (("b8", "byte"), ("b16", "short")):
        size = int(new[1:]) // 8
        formats[new] = formats[old] = StoreFormat(size)
        for name in (f"{old}_d16_hi", f"d16_hi_{new}", f"{new}_d16_hi"):
            formats[name] = StoreFormat(size, True)
    return formats


LOADS = _load_formats()
STORES = _store_formats()


def scatter_to(operand: Operand, form: LoadFormat) -> Scatter:
    """A writer of loaded bytes, (active lane, byte), into registers."""
    index = operand.index
    if form.size >= 4:
        return _scatter_words(index, form.size // 4)
    half = form.half or operand.half
    kind = np.dtype(f"{'i' if form.signed else 'u'}{form.size}")

    def scatter(wave: Wave, data: Any) -> None:
        value = np.ascontiguousarray(data).view(kind)[:, 0].astype(np.int32).view(np.uint32)
        if half:
            start = 1 if half == "h" else 0
            wave.typed["u16"][index, start::2][wave.active] = value.astype(np.uint16)
        else:
            wave.vector[index][wave.active] = value

    return scatter


def _scatter_words(index: int, count: int) -> Scatter:
    def scatter(wave: Wave, data: Any) -> None:
        words = np.ascontiguousarray(data).view(np.uint32)
        for register in range(count):
            wave.vector[index + register][wave.active] = words[:, register]

    return scatter


def gather_from(operand: Operand, form: StoreFormat) -> Gather:
    """A reader of the bytes to store, (active lane, byte), from registers."""
    index = operand.index
    if form.size >= 4:
        rows = slice(index, index + form.size // 4)
        return lambda wave: np.ascontiguousarray(wave.vector[rows].T[wave.active]).view(np.uint8)
    shift = np.uint32(16 if form.high or operand.half == "h" else 0)
    kind = np.dtype(f"u{form.size}")

    def gather(wave: Wave) -> Any:
        value = (wave.vector[index][wave.active] >> shift).astype(kind)
        return value[:, None].view(np.uint8)

    return gather


def pad_to_word(data: Any) -> Any:
    """Loaded bytes widened to a dword, as loads straight into LDS store them."""
    missing = 4 - data.shape[1]
    return np.pad(data, ((0, 0), (0, missing))) if missing > 0 else data
