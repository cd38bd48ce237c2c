"""Loads an AMDGPU code object (ELF64) and reads what it says about its kernels.

The loadable segments are copied into host memory and relocated there, so that a host address is
also the address that the emulated program sees.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InvalidCodeObject, LaunchError
from . import msgpack

# e_flags & 0xff of the targets that are emulated.
_ARCHITECTURES = {
    0x4C: "gfx942",
    0x4F: "gfx950",
    0x41: "gfx1100",
    0x48: "gfx1200",
    0x4E: "gfx1201",
}
_MACHINE_AMDGPU = 224
_SEGMENT_LOAD, _SEGMENT_NOTE = 1, 4
_SECTION_RELA, _SECTION_DYNSYM = 4, 11
_WRITABLE = 2
_RELOCATION_ABS64, _RELOCATION_RELATIVE64 = 3, 13
_METADATA_NOTE = 32
_PAGE = 4096

# User SGPR blocks in hardware order, with their number of registers; bit i of the descriptor's
# properties enables block i.
_USER_SGPR_BLOCKS = (
    ("private_segment_buffer", 4),
    ("dispatch_ptr", 2),
    ("queue_ptr", 2),
    ("kernarg_segment_ptr", 2),
    ("dispatch_id", 2),
    ("flat_scratch_init", 2),
    ("private_segment_size", 1),
)


@dataclass(frozen=True)
class Kernel:
    """One kernel: the fields of its 64-byte descriptor and its metadata."""

    name: str
    entry: int
    """Offset of the first instruction from the start of the code object."""
    lds_size: int
    scratch_size: int
    """Bytes of scratch per lane."""
    kernarg_size: int
    rsrc1: int
    rsrc2: int
    properties: int
    kernarg_preload: int
    metadata: dict[str, Any]

    @property
    def wave_size(self) -> int:
        return 32 if self.properties & (1 << 10) else 64

    @property
    def user_sgpr_blocks(self) -> list[tuple[str, int]]:
        """Names and sizes of the enabled blocks of user SGPRs, in order."""
        return [b for i, b in enumerate(_USER_SGPR_BLOCKS) if self.properties >> i & 1]

    @property
    def user_sgpr_count(self) -> int:
        """Registers reserved for user data; workgroup ids follow."""
        return self.rsrc2 >> 1 & 31

    @property
    def float_mode(self) -> int:
        """Rounding (low four bits) and denormal (high four bits) modes at the start."""
        return self.rsrc1 >> 12 & 0xFF


@dataclass(frozen=True)
class Segment:
    """A loaded part of the code object."""

    offset: int
    size: int
    writable: bool


@dataclass(frozen=True)
class _Section:
    kind: int
    offset: int
    size: int
    link: int


class CodeObject:
    """A loaded code object.

    Attributes:
        arch: The target, such as ``"gfx942"``.
        data: The file's bytes.
        base: Host address of the loaded image.
        kernels: The kernels by name.
        segments: The loaded parts, for access checks.
    """

    def __init__(self, data: bytes) -> None:
        self.data = bytes(data)
        self.arch = self._check_header()
        self._headers = self._program_headers()
        self._sections = self._section_headers()
        self.segments = self._load_segments()
        self._relocate()
        metadata = self._metadata()
        self.kernels = self._find_kernels(metadata)
        self.programs: dict[int, Any] = {}
        """Decoded programs by wave size, filled by the launcher."""

    def kernel(self, name: str) -> Kernel:
        """The kernel called ``name``; an error that lists the others if there is none."""
        if name not in self.kernels:
            known = ", ".join(sorted(self.kernels)) or "none"
            raise LaunchError(f"no kernel {name!r} in the code object; it has: {known}")
        return self.kernels[name]

    def _check_header(self) -> str:
        data = self.data
        if len(data) < 64 or data[:4] != b"\x7fELF" or data[4] != 2:
            raise InvalidCodeObject("expected an ELF64 file")
        machine = struct.unpack_from("<H", data, 18)[0]
        if machine != _MACHINE_AMDGPU:
            raise InvalidCodeObject(f"expected an AMDGPU ELF file, got machine {machine}")
        flags = struct.unpack_from("<I", data, 48)[0] & 0xFF
        if flags not in _ARCHITECTURES:
            known = ", ".join(_ARCHITECTURES.values())
            raise InvalidCodeObject(f"target {flags:#x} is not emulated, only {known}")
        return _ARCHITECTURES[flags]

    def _program_headers(self) -> list[tuple[int, ...]]:
        offset = struct.unpack_from("<Q", self.data, 32)[0]
        size, count = struct.unpack_from("<HH", self.data, 54)
        return [struct.unpack_from("<IIQQQQQQ", self.data, offset + i * size) for i in range(count)]

    def _section_headers(self) -> list[_Section]:
        offset = struct.unpack_from("<Q", self.data, 40)[0]
        size, count = struct.unpack_from("<HH", self.data, 58)
        sections = []
        for index in range(count):
            fields = struct.unpack_from("<IIQQQQIIQQ", self.data, offset + index * size)
            sections.append(_Section(fields[1], fields[4], fields[5], fields[6]))
        return sections

    def _load_segments(self) -> list[Segment]:
        loads = [h for h in self._headers if h[0] == _SEGMENT_LOAD]
        if not loads:
            raise InvalidCodeObject("nothing to load; was the object file linked?")
        size = max(address + memory_size for _, _, _, address, _, _, memory_size, _ in loads)
        storage = np.zeros(size + _PAGE, np.uint8)
        skip = -storage.ctypes.data % _PAGE
        self.image = storage[skip : skip + size]
        self.base = self.image.ctypes.data
        segments = []
        for _, flags, offset, address, _, file_size, memory_size, _ in loads:
            content = np.frombuffer(self.data, np.uint8, file_size, offset)
            self.image[address : address + file_size] = content
            segments.append(Segment(address, memory_size, bool(flags & _WRITABLE)))
        return segments

    def _relocate(self) -> None:
        for section in self._sections:
            if section.kind != _SECTION_RELA:
                continue
            symbols = self._sections[section.link].offset
            for entry in range(section.offset, section.offset + section.size, 24):
                self._apply_relocation(*struct.unpack_from("<QQq", self.data, entry), symbols)

    def _apply_relocation(self, offset: int, info: int, addend: int, symbols: int) -> None:
        kind, symbol = info & 0xFFFFFFFF, info >> 32
        if kind == _RELOCATION_RELATIVE64:
            value = self.base + addend
        elif kind == _RELOCATION_ABS64:
            value = struct.unpack_from("<Q", self.data, symbols + 24 * symbol + 8)[0]
            value += self.base + addend
        else:
            raise InvalidCodeObject(f"relocation type {kind} is not supported")
        self.image[offset : offset + 8].view(np.uint64)[0] = value

    def _metadata(self) -> dict[str, Any]:
        for kind, _, offset, _, _, size, _, _ in self._headers:
            if kind != _SEGMENT_NOTE:
                continue
            found = _find_note(self.data[offset : offset + size])
            if found is not None:
                return found
        raise InvalidCodeObject("no AMDGPU metadata note; code object version 3 or later is needed")

    def _dynamic_symbols(self) -> dict[str, int]:
        symbols = {}
        for section in self._sections:
            if section.kind != _SECTION_DYNSYM:
                continue
            names = self._sections[section.link].offset
            for entry in range(section.offset, section.offset + section.size, 24):
                name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.data, entry)
                start = names + name
                text = self.data[start : self.data.index(b"\0", start)].decode()
                symbols[text] = value
        return symbols

    def _find_kernels(self, metadata: dict[str, Any]) -> dict[str, Kernel]:
        symbols = self._dynamic_symbols()
        kernels = {}
        for entry in metadata.get("amdhsa.kernels", []):
            symbol = entry[".symbol"]
            if symbol not in symbols:
                raise InvalidCodeObject(f"metadata names {symbol!r}, which is not a symbol")
            kernels[entry[".name"]] = self._read_descriptor(symbols[symbol], entry)
        return kernels

    def _read_descriptor(self, address: int, metadata: dict[str, Any]) -> Kernel:
        raw = self.image[address : address + 64].tobytes()
        lds, scratch, kernarg = struct.unpack_from("<III", raw, 0)
        entry = struct.unpack_from("<q", raw, 16)[0]
        rsrc1, rsrc2 = struct.unpack_from("<II", raw, 48)
        properties, preload = struct.unpack_from("<HH", raw, 56)
        return Kernel(
            name=metadata[".name"],
            entry=address + entry,
            lds_size=lds,
            scratch_size=scratch,
            kernarg_size=max(kernarg, metadata.get(".kernarg_segment_size", 0)),
            rsrc1=rsrc1,
            rsrc2=rsrc2,
            properties=properties,
            kernarg_preload=preload,
            metadata=metadata,
        )


def _find_note(notes: bytes) -> dict[str, Any] | None:
    position = 0
    while position + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from("<III", notes, position)
        name_at = position + 12
        content_at = name_at + ((name_size + 3) & ~3)
        name = notes[name_at : name_at + name_size].rstrip(b"\0")
        if name == b"AMDGPU" and kind == _METADATA_NOTE:
            return msgpack.unpack(notes[content_at : content_at + size])
        position = content_at + ((size + 3) & ~3)
    return None
