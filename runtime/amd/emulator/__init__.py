"""Runs AMD code objects (gfx942, gfx950, gfx1100, gfx1200, gfx1201) on the CPU, for tests.

    code_object = CodeObject(path.read_bytes())
    launch(code_object, "add", grid=(4,), block=(256,), args=[x, y, out, n])

Arrays are numpy's and change in place. Beyond the numbers it checks that every access lies in
memory that the kernel was given, that waves do not race in LDS, and that no instruction without
semantics runs. The README tells what it cannot show.
"""

from .decoding.disassembler import find_objdump
from .errors import (
    DataRace,
    EmulatorError,
    IllegalExecution,
    InvalidCodeObject,
    LaunchError,
    MemoryFault,
    ToolNotFound,
    UnsupportedInstruction,
)
from .launch import launch
from .loading.code_object import CodeObject, Kernel
from .memory.spaces import HostMemory

__all__ = [
    "CodeObject",
    "DataRace",
    "EmulatorError",
    "HostMemory",
    "IllegalExecution",
    "InvalidCodeObject",
    "Kernel",
    "LaunchError",
    "MemoryFault",
    "ToolNotFound",
    "UnsupportedInstruction",
    "find_objdump",
    "launch",
]
