"""Decoding is LLVM's: ``llvm-objdump`` prints the code object, one line an instruction.

So there are no encoding tables here, and what the emulator reads is what a person would read.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tilewright import config

from ..errors import ToolNotFound

_CANDIDATES = ("llvm-objdump-22", "/usr/lib/llvm-22/bin/llvm-objdump")
_LINE = re.compile(r"\t(.*?)\s*// ([0-9A-F]+): ((?:[0-9A-F]{8} ?)+)")


@dataclass(frozen=True)
class Line:
    """A printed instruction: its text, its length in bytes and its first dword."""

    text: str
    size: int
    word: int


def find_objdump() -> str:
    """The disassembler: ``TILEWRIGHT_LLVM_OBJDUMP`` if set, else LLVM 22's.

    Raises:
        ToolNotFound: If there is none.
    """
    chosen = config.llvm_objdump()
    candidates = (chosen,) if chosen else _CANDIDATES
    for candidate in candidates:
        found = shutil.which(candidate)
        if found:
            return found
    raise ToolNotFound(
        f"the AMD emulator needs llvm-objdump of LLVM 22, looked for {', '.join(candidates)}; "
        "install llvm-22 or set TILEWRIGHT_LLVM_OBJDUMP"
    )


def disassemble(data: bytes) -> dict[int, Line]:
    """The instructions of a code object by their offset from its start."""
    objdump = find_objdump()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.hsaco")
        path.write_bytes(data)
        command = [objdump, "-d", str(path)]
        result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise ToolNotFound(f"{objdump} failed: {result.stderr.strip()}")
    lines = {}
    for printed in result.stdout.splitlines():
        match = _LINE.match(printed)
        if match and match[1] != "s_code_end":
            words = [int(word, 16) for word in match[3].split()]
            text = " ".join(match[1].split())
            lines[int(match[2], 16)] = Line(text, 4 * len(words), words[0])
    return lines
