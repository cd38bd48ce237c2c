"""Run elementwise functions, given as IR, on arrays: natively and through upstream's lowering alone.

This isolates what an elementwise pass computes from the targets that use it.
"""

import ctypes
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TILEWRIGHT_BUILD_DIR", ROOT / "build")).resolve()
TILE_OPT = BUILD / "python" / "tilewright" / "_tools" / "tile-opt"
LLVM_BIN = Path("/usr/lib/llvm-22/bin")
LANES = 16
LOWERING = "convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts"


@dataclass(frozen=True)
class Function:
    """An elementwise function.

    ``body`` computes ``%y`` from ``%x0``, ``%x1``, ...; ``$t`` in it stands for lanes of the type
    ``t``. ``inputs`` and ``output`` are the element types in memory.
    """

    name: str
    body: str
    inputs: Sequence[str]
    output: str

    def to_ir(self, lanes: int) -> str:
        """A loop over arrays, ``lanes`` elements at a time (1: scalars)."""

        def shaped(element: str) -> str:
            return f"vector<{lanes}x{element}>" if lanes > 1 else element

        pointers = "".join(f", %p{i}: !llvm.ptr" for i in range(len(self.inputs)))
        body = re.sub(r"\$(\w+)", lambda match: shaped(match[1]), self.body)
        loads = "\n".join(
            f"    %a{i} = llvm.getelementptr %p{i}[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {element}\n"
            f"    %x{i} = llvm.load %a{i} {{alignment = 1 : i64}} : !llvm.ptr -> {shaped(element)}"
            for i, element in enumerate(self.inputs)
        )
        return f"""
func.func @{self.name}(%n: i64, %q: !llvm.ptr{pointers}) {{
  %zero = arith.constant 0 : i64
  %step = arith.constant {lanes} : i64
  scf.for %i = %zero to %n step %step : i64 {{
{loads}
    {body}
    %a = llvm.getelementptr %q[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {self.output}
    llvm.store %y, %a {{alignment = 1 : i64}} : {shaped(self.output)}, !llvm.ptr
  }}
  return
}}"""


class Library:
    """Functions compiled into one shared object."""

    def __init__(self, path: Path, functions: Sequence[Function]) -> None:
        self._library = ctypes.CDLL(str(path))
        self._functions = {function.name: function for function in functions}

    def __call__(self, name: str, output: type, *inputs: np.ndarray) -> np.ndarray:
        """Apply a function to arrays of one length; the result has the element type ``output``."""
        count = len(inputs[0])
        padded = -count % LANES
        arrays = [np.concatenate([x, x[:1].repeat(padded)]) for x in inputs]
        result = np.zeros(count + padded, output)
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (result, *arrays)]
        getattr(self._library, name)(ctypes.c_int64(len(result)), *pointers)
        return result[:count]


def _run(command: Sequence[str | Path], stdin: str) -> str:
    done = subprocess.run([str(part) for part in command], input=stdin, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stderr[:4000]}"
    return done.stdout


def compile_functions(
    folder: Path,
    functions: Sequence[Function],
    passes: str,
    lanes: int = LANES,
    facts: str = "lanes = 1 : i32",
) -> Library:
    """Run ``passes`` on the functions, for a machine with ``facts``, and compile them for this host."""
    body = "\n".join(function.to_ir(lanes) for function in functions)
    module = f'module attributes {{tile.target = #tile.target<"test", "host", {{{facts}}}>}} {{{body}\n}}'
    lowered = _run([TILE_OPT, f"--pass-pipeline=builtin.module({passes},cse,{LOWERING})"], module)
    bare = re.sub(r"tile\.target = #tile\.target<.*?}>(, )?", "", lowered)
    text = _run([LLVM_BIN / "mlir-translate", "--mlir-to-llvmir"], bare)
    made, library = folder / f"{functions[0].name}{lanes}.o", folder / f"{functions[0].name}{lanes}.so"
    flags = ["-O2", "-mcpu=native", "-relocation-model=pic", "-filetype=obj"]
    _run([LLVM_BIN / "llc", *flags, "-o", made], text)
    _run([LLVM_BIN / "ld.lld", "-shared", made, "-o", library], "")
    return Library(library, functions)


def ulp_errors(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Distance of each result from the exact value, in units in the last place of its type.

    ``exact`` has a wider type. A wrong NaN or infinity counts as infinite.
    """
    info = np.finfo(got.dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(got.dtype)
        _, exponent = np.frexp(exact)
        unit = np.ldexp(np.ones_like(exact), np.maximum(exponent - 1, info.minexp) - info.nmant)
        errors = np.abs(got.astype(exact.dtype) - exact) / unit
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    errors = np.where(np.isfinite(errors), errors, np.inf)
    return np.where(same & ~np.isfinite(rounded), 0, errors)
