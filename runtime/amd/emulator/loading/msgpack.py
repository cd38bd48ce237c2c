"""A reader for MessagePack, the encoding of a code object's metadata note."""

from __future__ import annotations

import struct
from typing import Any

# Type byte -> struct format of a number.
_NUMBERS = {
    0xCA: "f", 0xCB: "d",
    0xCC: "B", 0xCD: "H", 0xCE: "I", 0xCF: "Q",
    0xD0: "b", 0xD1: "h", 0xD2: "i", 0xD3: "q",
}  # fmt: skip
# Type byte -> (what it holds, struct format of its length).
_SIZED = {
    0xC4: ("bytes", "B"), 0xC5: ("bytes", "H"), 0xC6: ("bytes", "I"),
    0xD9: ("text", "B"), 0xDA: ("text", "H"), 0xDB: ("text", "I"),
    0xDC: ("array", "H"), 0xDD: ("array", "I"),
    0xDE: ("map", "H"), 0xDF: ("map", "I"),
}  # fmt: skip
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def number(self, form: str) -> Any:
        value = struct.unpack_from(">" + form, self._data, self._position)[0]
        self._position += struct.calcsize(form)
        return value

    def take(self, size: int) -> bytes:
        chunk = self._data[self._position : self._position + size]
        if len(chunk) != size:
            raise ValueError("MessagePack data ends early")
        self._position += size
        return chunk

    def container(self, kind: str, size: int) -> Any:
        if kind == "map":
            return {self.value(): self.value() for _ in range(size)}
        if kind == "array":
            return [self.value() for _ in range(size)]
        chunk = self.take(size)
        return chunk.decode() if kind == "text" else chunk

    def value(self) -> Any:
        tag = self.number("B")
        if tag < 0x80:
            return tag
        if tag < 0x90:
            return self.container("map", tag & 15)
        if tag < 0xA0:
            return self.container("array", tag & 15)
        if tag < 0xC0:
            return self.container("text", tag & 31)
        if tag >= 0xE0:
            return tag - 256
        if tag in _CONSTANTS:
            return _CONSTANTS[tag]
        if tag in _NUMBERS:
            return self.number(_NUMBERS[tag])
        if tag in _SIZED:
            kind, form = _SIZED[tag]
            return self.container(kind, self.number(form))
        raise ValueError(f"unknown MessagePack tag {tag:#x}")


def unpack(data: bytes) -> Any:
    """Decode the first value in ``data``."""
    return _Reader(data).value()
