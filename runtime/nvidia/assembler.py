"""From PTX to a cubin without a driver: by nvJitLink in process, or by ptxas.

nvJitLink saves the start of a program, which takes longer than it takes to assemble a small kernel. But it compiles
what may be linked with more, and gives warps no registers of other warps (setmaxnreg), which kernels with roles
need to be fast: products of several warps are for ptxas, where it is found. It also takes some more registers: where
that keeps a program from sharing a multiprocessor with one more of its kind, ptxas tries as well. Where it is only few
registers that do, the assembler is bound to do without them, as long as it needs no memory instead.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from tilewright import config
from tilewright.runtime.errors import AssemblerError
from tilewright.runtime.nvidia.advice import Advice, count_spills, read_advice

if TYPE_CHECKING:
    from tilewright.options import CompileOptions


#: Instructions of kernels that nvJitLink makes slower than ptxas does.
_FOR_PTXAS = ("setmaxnreg", "wgmma")

#: Registers and threads of a multiprocessor, and the step in which threads get registers.
_REGISTERS, _MOST_THREADS, _REGISTER_STEP = 65536, 2048, 8


@dataclass(frozen=True)
class Assembly:
    """What an assembler made and said.

    Attributes:
        cubin: The binary.
        log: Its remarks: spills, serialised instructions and the like.
        registers: Of a thread; None where the log does not tell.
        spill_bytes: Of a thread, stores and loads together; None where the log does not tell.
        advice: What the log says of the kernel's speed.
    """

    cubin: bytes
    log: str
    registers: int | None = None
    spill_bytes: int | None = None
    advice: Sequence[Advice] = ()


def assemble(ptx: str, arch: str, options: CompileOptions | None = None) -> Assembly:
    """The cubin of PTX for an architecture such as "sm_90a", and what there is to say about it; of the options,
    those of the assembler count: the text has the others.

    Raises:
        AssemblerError: If there is no assembler, or it refuses the text; it holds the assembler's own words.
    """
    assembly = assemble_with_log(ptx, arch, options)
    if assembly is None:
        raise AssemblerError("there is no assembler for PTX: put ptxas on PATH or into TILEWRIGHT_PTXAS (pip install "
                             "nvidia-cuda-nvcc has it), or pip install cuda-bindings nvidia-nvjitlink; .asm['ptx'] "
                             "needs none")
    return assembly


def assemble_with_log(ptx: str, arch: str, options: CompileOptions | None = None) -> Assembly | None:
    """Assemble PTX; gives None where there is no assembler: the driver compiles the PTX when it is loaded.

    Raises:
        AssemblerError: If the assembler refuses the text.
    """
    assembly = _assemble(ptx, arch, _flags(options))
    # Warps with roles share registers out themselves.
    if assembly is None or assembly.spill_bytes or "setmaxnreg" in ptx:
        return assembly
    bound = _find_bound(ptx, assembly.registers)
    if bound is None:
        return assembly
    # On the same line: remarks tell lines of the text.
    bounded = re.sub(r"(\.reqntid [\d, ]+\d)", rf"\1 .maxnreg {bound}", ptx, count=1)
    try:
        return _better(ptx, assembly, _assemble(bounded, arch, _flags(options)) or assembly)
    except AssemblerError:  # products need a thread to have more
        return assembly


def _assemble(ptx: str, arch: str, flags: list[str]) -> Assembly | None:
    path, nvjitlink = _ptxas(), _nvjitlink()
    if nvjitlink is not None and not (path and (config.ptxas() or any(word in ptx for word in _FOR_PTXAS))):
        try:
            assembly = _assemble_in_process(nvjitlink, ptx, arch, flags)
        except AssemblerError:
            if path is None:
                raise  # else ptxas may be newer, or has its own words
        else:
            if path is None or _find_bound(ptx, assembly.registers) is None:
                return assembly
            return _better(ptx, assembly, _assemble_by_ptxas(path, ptx, arch, flags))
    return _assemble_by_ptxas(path, ptx, arch, flags) if path else None


def _count_threads(ptx: str) -> int | None:
    """Threads of the kernel's programs, where the text tells."""
    threads = re.search(r"\.reqntid (\d+)", ptx)
    return int(threads[1]) if threads else None


def _count_programs(threads: int, registers: int) -> int:
    """Programs that the registers of a multiprocessor hold."""
    granted = -(-registers // _REGISTER_STEP) * _REGISTER_STEP
    return _REGISTERS // (granted * threads)


def _count_most_programs(ptx: str, threads: int) -> int:
    """Programs that may share a multiprocessor for all that is not registers; the text tells what on-chip memory
    admits."""
    by_memory = re.search(r"^// programs that on-chip memory admits: (\d+)$", ptx, re.MULTILINE)
    return min(_MOST_THREADS // threads, int(by_memory[1]) if by_memory else _MOST_THREADS)


def _find_bound(ptx: str, registers: int | None) -> int | None:
    """Registers of a thread with which one more program would share a multiprocessor, where these are at most a fifth
    fewer; only where programs do not say themselves how many a thread has."""
    threads = _count_threads(ptx)
    if not threads or not registers or ".maxnreg" in ptx:
        return None
    more = _count_programs(threads, registers) + 1
    bound = _REGISTERS // (more * threads) // _REGISTER_STEP * _REGISTER_STEP
    is_near = registers - bound <= registers // 5
    return bound if is_near and more <= _count_most_programs(ptx, threads) else None


def _better(ptx: str, first: Assembly, second: Assembly) -> Assembly:
    """The one of which more programs share a multiprocessor, if it does not spill more."""
    threads = _count_threads(ptx) or 1
    programs, more = (_count_programs(threads, assembly.registers or 255) for assembly in (first, second))
    return second if more > programs and (second.spill_bytes or 0) <= (first.spill_bytes or 0) else first


def _flags(options: CompileOptions | None) -> list[str]:
    """What ptxas is told beyond the architecture."""
    flags = config.ptxas_options()
    if options is not None:
        flags += (options.ptx_options or "").split()
    return flags if any(flag.startswith(("-O", "--opt-level")) for flag in flags) else ["-O3", *flags]


def describe_assembler() -> str | None:
    """Which assembler is at hand; None without one."""
    nvjitlink = _nvjitlink()
    in_process = "nvJitLink {}.{}".format(*nvjitlink.version()) if nvjitlink and not config.ptxas() else None
    return " and ".join(filter(None, (in_process, _ptxas()))) or None


def _ptxas() -> str | None:
    """The path of ptxas: what the configuration names, else the first of PATH, a toolkit, and Python's packages."""
    return config.ptxas() or _find_ptxas()


@cache
def _find_ptxas() -> str | None:
    candidates = [folder / "bin" / "ptxas" for folder in config.cuda_toolkits()]
    for folder in map(Path, sys.path):
        candidates += sorted(folder.glob("nvidia/*/bin/ptxas"))
        candidates.append(folder / "triton" / "backends" / "nvidia" / "bin" / "ptxas")
    found = next((path for path in candidates if os.access(path, os.X_OK)), None)
    return shutil.which("ptxas") or (str(found) if found else None)


@cache
def _nvjitlink() -> ModuleType | None:
    """The binding of nvJitLink, if it and its library are installed."""
    try:
        from cuda.bindings import nvjitlink

        nvjitlink.version()  # opens the library
    except Exception:  # noqa: BLE001 - each version of the binding raises another kind
        return None
    return nvjitlink


def _assemble_in_process(nvjitlink: ModuleType, ptx: str, arch: str, flags: list[str]) -> Assembly:
    # nvJitLink has options of its own for some of ptxas', and hands on the others.
    own = {flag: flag.replace("--max", "-max") for flag in flags
           if flag in ("-O0", "-O3") or flag.startswith("--maxrregcount=")}
    options = [f"-arch={arch}", "-Xptxas=-v", *(own.get(flag, f"-Xptxas={flag}") for flag in flags)]
    try:
        handle = nvjitlink.create(len(options), options)
    except nvjitlink.nvJitLinkError as error:
        raise AssemblerError(f"nvJitLink does not assemble for {arch}: {error}; a newer nvidia-nvjitlink may, or "
                             "ptxas named by TILEWRIGHT_PTXAS") from error
    try:
        text = ptx.encode()
        try:
            nvjitlink.add_data(handle, nvjitlink.InputType.PTX, text, len(text), "kernel.ptx")
            nvjitlink.complete(handle)
        except nvjitlink.nvJitLinkError as error:
            log = _read(handle, nvjitlink.get_error_log_size, nvjitlink.get_error_log).decode()
            raise AssemblerError(f"nvJitLink refused the PTX for {arch} ({error}):\n{log}") from error
        cubin = _read(handle, nvjitlink.get_linked_cubin_size, nvjitlink.get_linked_cubin)
        log = _read(handle, nvjitlink.get_info_log_size, nvjitlink.get_info_log).decode()
        return _describe(cubin, log, ptx)
    finally:
        nvjitlink.destroy(handle)


def _read(handle: int, size_of, read) -> bytes:
    buffer = bytearray(size_of(handle))
    if buffer:
        read(handle, buffer)
    return bytes(buffer).rstrip(b"\0") if read.__name__.endswith("log") else bytes(buffer)


def _assemble_by_ptxas(path: str, ptx: str, arch: str, flags: list[str]) -> Assembly:
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        source, output = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        command = [path, "-v", *flags, f"--gpu-name={arch}", str(source), "-o", str(output)]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise AssemblerError(f"cannot run {path}: {error}") from error
        log = done.stdout + done.stderr
        if done.returncode:
            raise AssemblerError(f"{path} refused the PTX for {arch}{_why_refused(log)}:\n{log}")
        return _describe(output.read_bytes(), log, ptx)


def _why_refused(log: str) -> str:
    """What to do about a refusal that is no fault of the text."""
    if "Insufficient registers" in log:
        return ", since threads cannot have the registers that a product takes: use smaller blocks or fewer warps"
    return ""


def _describe(cubin: bytes, log: str, ptx: str) -> Assembly:
    """Read a verbose log, which both assemblers write alike."""
    registers = re.search(r"Used (\d+) registers", log)
    spills = count_spills(log)
    return Assembly(cubin, log, int(registers[1]) if registers else None, sum(spills) if spills else None,
                    read_advice(log, ptx))
