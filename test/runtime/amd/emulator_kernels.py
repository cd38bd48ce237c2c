"""Assembles kernels from LLVM IR for the emulator's tests."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

from tilewright.runtime.amd.emulator import CodeObject

KERNELS = Path(__file__).with_name("kernels")
_FOLDER = "/usr/lib/llvm-22/bin"


def find_tools() -> tuple[str, str] | None:
    """llc and ld.lld of LLVM 22, or None."""
    tools = []
    for name in ("llc", "ld.lld"):
        found = shutil.which(f"{name}-22") or shutil.which(name, path=_FOLDER)
        if found is None:
            return None
        tools.append(found)
    return tools[0], tools[1]


@functools.cache
def assemble(ir: str, arch: str, *options: str) -> CodeObject:
    """Compile IR text for ``arch`` and load the result."""
    llc, linker = find_tools()
    with tempfile.TemporaryDirectory() as folder:
        source, compiled, linked = (Path(folder, f"kernel.{end}") for end in ("ll", "o", "hsaco"))
        source.write_text(ir)
        target = ["-mtriple=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=obj", *options]
        for command in (
            [llc, "-O2", *target, str(source), "-o", str(compiled)],
            [linker, "-shared", str(compiled), "-o", str(linked)],
        ):
            result = subprocess.run(command, capture_output=True, text=True)
            assert result.returncode == 0, result.stderr
        return CodeObject(linked.read_bytes())


def kernel_source(name: str) -> str:
    """The IR of a file in ``kernels``."""
    return KERNELS.joinpath(f"{name}.ll").read_text()


def wave_size(arch: str) -> int:
    return 64 if arch.startswith("gfx9") else 32
