"""Run a kernel given as IR text on this CPU, without frontend and runtime."""

from __future__ import annotations

import ctypes
import itertools
import tempfile

import numpy as np
from tilewright.mlir import ir
from tilewright.mlir._mlir_libs import _tileNative as native


class Kernel:
    """One kernel of a module at stage `tile`, compiled for `arch` and loaded."""

    def __init__(self, text: str, arch: str = "host"):
        with ir.Context(), ir.Location.unknown():
            module = ir.Module.parse(text)
            functions = [op for op in module.body if "tile.kernel" in op.attributes]
            self.name = ir.StringAttr(functions[0].attributes["sym_name"]).value
            native.lower(module, "cpu", arch, "tile", "llvm")
            self.llvm = str(module)
            self.scratch_bytes = module.operation.attributes["tile.scratch_bytes"].value
            self.library = native.emit(module, "cpu", arch, "library")
        self._load()

    def _load(self) -> None:
        with tempfile.NamedTemporaryFile(suffix=".so") as file:  # dlopen tells libraries apart by name
            file.write(self.library)
            file.flush()
            self.handle = ctypes.CDLL(file.name)
        self.function = getattr(self.handle, self.name)

    def __call__(self, *args, grid=(1,)) -> None:
        """Run all programs of `grid`; arrays are passed by address, numbers as numpy scalars."""
        slots = (ctypes.c_char * (8 * max(1, len(args))))()
        for index, arg in enumerate(args):
            value = np.uint64(arg.ctypes.data) if isinstance(arg, np.ndarray) else arg
            slots[8 * index : 8 * index + value.nbytes] = value.tobytes()
        arena = np.full(self.scratch_bytes + 64, 0xFF, np.uint8)  # floats in it are NaN
        scratch = arena.ctypes.data + (-arena.ctypes.data) % 64
        extents = tuple(grid) + (1,) * (3 - len(grid))
        for place in itertools.product(*(range(extent) for extent in extents)):
            position = (ctypes.c_int32 * 6)(*place, *extents)
            self.function(slots, ctypes.c_void_p(scratch), position)
