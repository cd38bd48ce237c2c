"""Kernels on the CPU: machine code in memory, run by a pool of threads."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tilewright import _launcher, config

if TYPE_CHECKING:
    from tilewright.runtime.launch import CompiledKernel


#: Options without an effect on what a kernel of the CPU does, and how fast.
UNUSED_OPTIONS = frozenset({"num_warps", "num_stages", "num_ctas", "maxnreg", "ptx_options", "waves_per_eu",
                            "matrix_instr_nonkdim", "kpack", "schedule_hint", "launch_pdl"})


def _cpu_quota(file: Path = Path("/sys/fs/cgroup/cpu.max")) -> float | None:
    """CPUs' worth of time that a container grants; None without a limit."""
    try:
        quota, period = file.read_text().split()
        return int(quota) / int(period)
    except (OSError, ValueError):
        return None


def available_cpus() -> int:
    """CPUs this process may use: more threads would wait for each other."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _cpu_quota()
    return cpus if quota is None else max(1, min(cpus, round(quota)))


@cache
def describe_host(file: Path = Path("/proc/cpuinfo")) -> str:
    """Tells hosts apart whose binaries differ: model and features of the first CPU."""
    try:
        with file.open() as info:
            first_cpu = info.read(16384).split("\n\n")[0]
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    # The frequency of the moment is in there as well.
    facts = ("model name", "flags", "Features", "CPU part")
    lines = [line for line in first_cpu.splitlines() if line.startswith(facts)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@cache
def vector_registers(file: Path = Path("/proc/cpuinfo")) -> int:
    """Vector registers of a core."""
    try:
        with file.open() as info:
            wide = "avx512f" in info.read(16384)
    except OSError:
        wide = False
    return 32 if wide or platform.machine() in ("aarch64", "arm64") else 16


@cache
def start_pool() -> None:
    """Give the pool its number of threads; they start with the first grid that needs them."""
    _launcher.set_num_threads(config.num_threads() or available_cpus())


def load(kernel: CompiledKernel, device_index: int = 0) -> _launcher.Executable:
    """Load the kernel's machine code: an object, or a shared library.

    Raises:
        RuntimeError: If it is damaged, or needs what no library of the process has.
    """
    start_pool()
    kernel.n_regs, kernel.n_spills, kernel.n_max_threads = vector_registers(), 0, 1
    return _launcher.load_cpu(kernel.name, kernel.asm["object"], kernel.metadata["scratch_bytes"],
                              kernel.metadata.get("checks_bounds", False))
