"""Compiling kernels of the language for AMD GPUs and running them in the emulator."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import tilewright as tw
from tilewright.runtime.amd.emulator import CodeObject, ToolNotFound, find_objdump, launch

# Lanes of a wave.
ARCHS = {"gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32}
TYPES = {"float64": "*fp64", "float32": "*fp32", "float16": "*fp16", "int8": "*i8", "int16": "*i16", "int32": "*i32",
         "int64": "*i64", "bfloat16": "*bf16", "uint8": "*u8"}


def _has_objdump() -> bool:
    try:
        find_objdump()
    except ToolNotFound:
        return False
    return True


needs_objdump = pytest.mark.skipif(not _has_objdump(), reason="needs llvm-objdump of LLVM 22")


@functools.cache
def _code_object(kernel, signature: tuple, arch: str, num_warps: int):
    compiled = tw.compile(kernel, dict(signature), target=f"amd:{arch}", num_warps=num_warps)
    return CodeObject(compiled.asm["hsaco"]), compiled.name


def run(kernel, arch: str, grid: tuple[int, ...], args: dict, num_warps: int = 2, **constants) -> None:
    """Compile for the arguments' types and launch; arrays change in place."""
    signature = {name: TYPES[value.dtype.name] if isinstance(value, np.ndarray) else "i32"
                 for name, value in args.items()}
    code, name = _code_object(kernel, tuple((signature | constants).items()), arch, num_warps)
    launch(code, name, grid, (ARCHS[arch] * num_warps,), list(args.values()))
