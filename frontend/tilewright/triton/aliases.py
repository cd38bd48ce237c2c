"""Triton's names for the stages and the facts of a compiled kernel."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilewright.errors import TargetError
from tilewright.kernel import FACT_ALIASES, STAGE_ALIASES, Metadata, Stages
from tilewright.triton.targets import from_name

#: A program on the CPU has its registers and the core's cache; programs that compute how many fit at once
#: divide by what a kernel uses, which is never nothing.
_LEAST_SHARED = 64


def disassemble(stages: Stages) -> str:
    """The machine's instructions of a cubin.

    Raises:
        TargetError: If the target has no cubin, or there is no disassembler.
    """
    if "cubin" not in stages:
        raise TargetError(f"'sass' is a stage of NVIDIA's targets, this kernel is for '{stages.target}'")
    tool = shutil.which("nvdisasm")
    if tool is None:
        raise TargetError("'sass' needs nvdisasm of the CUDA toolkit on PATH", ".asm['ptx'] needs nothing")
    cubin = stages["cubin"]
    assert isinstance(cubin, bytes)
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        file = Path(folder, "kernel.cubin")
        file.write_bytes(cubin)
        return subprocess.run([tool, "-c", str(file)], capture_output=True, text=True, check=True).stdout


def _shared(metadata: Metadata) -> int:
    if metadata["target"] == "cpu":
        return max(metadata["scratch_bytes"], _LEAST_SHARED)
    return metadata["shared_bytes"]


def _constant(value: Any) -> Callable[[Metadata], Any]:
    return lambda metadata: value


def _triton_target(metadata: Metadata) -> Any:
    return from_name(f"{metadata['target']}:{metadata['arch']}")


def install() -> None:
    """Let all kernels know these names."""
    STAGE_ALIASES.update({
        "source": ("tile",), "ttir": ("tile",), "ttgir": ("scheduled", "loops"), "llir": ("llvmir",),
        "sass": disassemble})
    FACT_ALIASES.update({
        "shared": _shared, "target": _triton_target, "tmem_size": _constant(0), "profile_scratch_size": _constant(0),
        "profile_scratch_align": _constant(1), "global_scratch_align": _constant(1),
        "global_scratch_size": lambda metadata: 0 if metadata["target"] == "cpu" else metadata["scratch_bytes"],
        "cluster_dims": lambda metadata: (metadata["num_ctas"], 1, 1),
        "warp_size": lambda metadata: _triton_target(metadata).warp_size,
        "backend_name": lambda metadata: _triton_target(metadata).backend,
        "arch": lambda metadata: _triton_target(metadata).arch, "extern_libs": _constant(()),
        "sanitize_overflow": _constant(True), "instrumentation_mode": _constant("")})
