"""Launches kernels: sets up memory and waves, and runs workgroup after workgroup."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import EmulatorError, IllegalExecution, LaunchError
from .loading.arguments import Dim3, pack_arguments
from .loading.code_object import CodeObject, Kernel
from .memory.spaces import HostMemory, Lds, Scratch
from .program import Program
from .values.numeric import MASK32
from .wave import Wave

_TTMP7, _TTMP9 = 115, 117
_MAX_THREADS = 1024
# Round to nearest even; keep denormals of all types.
_FLOAT_MODE = 0xF0
# LLVM's wide scalar loads read past the last argument, never past a multiple of this.
_KERNARG_ALIGNMENT = 64
# Code that preloads arguments starts with a fallback for firmware that does not.
_PRELOAD_ENTRY = 256


def launch(
    code_object: CodeObject,
    name: str,
    grid: Sequence[int],
    block: Sequence[int],
    args: Sequence[Any],
    *,
    dynamic_lds: int = 0,
    memory: HostMemory | None = None,
    max_instructions: int = 50_000_000,
) -> int:
    """Run a kernel on numpy arrays, in place.

    Args:
        code_object: The loaded code object.
        name: The kernel's name.
        grid: Workgroups along each dimension, one to three numbers.
        block: Threads of a workgroup along each dimension.
        args: The arguments in order: contiguous arrays for pointers, ints, floats or numpy scalars
            for values. An int for a pointer is an address that ``memory`` must know.
        dynamic_lds: Bytes of LDS beyond what the kernel declares.
        memory: Further host memory that the kernel may touch.
        max_instructions: The number of wave instructions after which the kernel counts as endless.

    Returns:
        The number of instructions executed, summed over the waves.

    Raises:
        LaunchError: If the arguments do not fit the kernel.
        MemoryFault: If a lane leaves the memory that the kernel was given.
        DataRace: If waves of a workgroup share LDS without a barrier.
        UnsupportedInstruction: If an instruction without semantics is reached.
        IllegalExecution: If the kernel does what hardware leaves undefined, or does not end.
    """
    kernel = code_object.kernel(name)
    _check_float_mode(kernel)
    grid, block = _dim3(grid, "grid"), _dim3(block, "block")
    if not 0 < np.prod(block) <= _MAX_THREADS:
        raise LaunchError(f"a workgroup has 1 to {_MAX_THREADS} threads, got {block}")
    memory = memory if memory is not None else HostMemory()
    _add_arrays(memory, args)
    launched = _Launch(code_object, kernel, grid, block, memory, dynamic_lds)
    launched.pass_arguments(pack_arguments(kernel, args, grid, block))
    with np.errstate(all="ignore"):
        return launched.run(max_instructions)


def _dim3(sizes: Sequence[int], what: str) -> Dim3:
    padded = (*sizes, 1, 1)[:3]
    if not 1 <= len(sizes) <= 3 or any(size < 1 for size in padded):
        raise LaunchError(f"{what} must be one to three positive numbers, got {tuple(sizes)}")
    return padded


def _check_float_mode(kernel: Kernel) -> None:
    if kernel.float_mode != _FLOAT_MODE:
        raise LaunchError(
            f"{kernel.name} starts with float mode {kernel.float_mode:#x}; emulated is only "
            f"{_FLOAT_MODE:#x}, which rounds to nearest even and keeps denormals"
        )


def _add_arrays(memory: HostMemory, args: Sequence[Any]) -> None:
    for index, argument in enumerate(args):
        if not isinstance(argument, np.ndarray):
            continue
        if not argument.flags.c_contiguous:
            raise LaunchError(f"argument {index} must be a contiguous array")
        memory.add_array(argument, f"argument {index}")


class _Launch:
    """One launch in progress."""

    def __init__(
        self,
        code_object: CodeObject,
        kernel: Kernel,
        grid: Dim3,
        block: Dim3,
        memory: HostMemory,
        dynamic_lds: int,
    ) -> None:
        self._code_object, self._kernel = code_object, kernel
        self._grid, self._block = grid, block
        self._memory = memory
        self._lds_size = kernel.lds_size + dynamic_lds
        size = kernel.wave_size
        if size not in code_object.programs:
            code_object.programs[size] = Program(code_object, size)
        self._program: Program = code_object.programs[size]
        for segment in code_object.segments:
            start = code_object.base + segment.offset
            memory.add(start, segment.size, "the code object", segment.writable)

    def pass_arguments(self, segment: bytearray) -> None:
        """Put the arguments and the dispatch packet where the kernel finds them."""
        padding = -len(segment) % _KERNARG_ALIGNMENT
        self._kernarg = np.frombuffer(segment + bytearray(padding), np.uint8)
        self._packet = np.frombuffer(self._dispatch_packet(), np.uint8)
        for content, name in ((self._kernarg, "the arguments"), (self._packet, "the packet")):
            self._memory.add(content.ctypes.data, content.nbytes, name, writable=False)

    def _dispatch_packet(self) -> bytearray:
        kernel = self._kernel
        threads = (g * b for g, b in zip(self._grid, self._block, strict=True))
        header, dimensions = 2 | 1 << 8, 3  # a kernel dispatch, with the barrier bit
        return bytearray(
            struct.pack(
                "<HHHHHHIIIIIQQQQ",
                header,
                dimensions,
                *self._block,
                0,
                *threads,
                kernel.scratch_size,
                self._lds_size,
                self._code_object.base + kernel.entry,
                self._kernarg.ctypes.data,
                0,
                0,
            )  # fmt: skip
        )

    def run(self, max_instructions: int) -> int:
        """Run all workgroups; returns the number of executed instructions."""
        executed = 0
        ranges = (range(size) for size in reversed(self._grid))
        for z, y, x in itertools.product(*ranges):
            executed += self._run_workgroup((x, y, z), max_instructions - executed)
        return executed

    def _run_workgroup(self, workgroup: Dim3, budget: int) -> int:
        lds = Lds(self._lds_size)
        waves = self._start_waves(workgroup, lds)
        running = waves
        while running:
            waiting = []
            for wave in running:
                if self._run_to_barrier(wave, workgroup, budget):
                    waiting.append(wave)
            if sum(wave.executed for wave in waves) > budget:
                raise IllegalExecution(f"more than {budget} instructions; an endless loop?")
            # Waves that have ended take no part in the barrier.
            running = waiting
            lds.pass_barrier()
        return sum(wave.executed for wave in waves)

    def _run_to_barrier(self, wave: Wave, workgroup: Dim3, budget: int) -> bool:
        """Run a wave until a barrier (true) or its end (false)."""
        step_at = self._program.step
        pc, text = wave.pc, ""
        try:
            while True:
                pc = wave.pc
                execute, wave.pc, is_barrier, is_end, text = step_at(pc)
                wave.executed += 1
                if is_end:
                    return False
                execute(wave)
                if is_barrier:
                    return True
                if wave.executed > budget:
                    raise IllegalExecution("too many instructions; an endless loop?")
        except EmulatorError as error:
            error.locate(f"workgroup {workgroup}, wave {wave.index}, pc {pc:#x}, `{text}`")
            raise

    def _start_waves(self, workgroup: Dim3, lds: Lds) -> list[Wave]:
        width = self._kernel.wave_size
        threads = int(np.prod(self._block))
        waves = []
        for index in range(-(-threads // width)):
            live = min(width, threads - index * width)
            scratch = Scratch(self._kernel.scratch_size, width)
            wave = Wave(width, live, index, self._memory, lds, scratch)
            self._set_scalars(wave, workgroup)
            self._set_thread_ids(wave)
            waves.append(wave)
        return waves

    def _set_scalars(self, wave: Wave, workgroup: Dim3) -> None:
        kernel, kernarg = self._kernel, self._kernarg
        addresses = {
            "kernarg_segment_ptr": kernarg.ctypes.data,
            "dispatch_ptr": self._packet.ctypes.data,
            "private_segment_size": kernel.scratch_size,
        }
        wave.pc = kernel.entry
        register = 0
        for name, count in kernel.user_sgpr_blocks:
            wave.set_scalar(register, addresses.get(name, 0), count)
            register += count
        preloaded, skipped = kernel.kernarg_preload & 127, kernel.kernarg_preload >> 7
        if preloaded:
            words = kernarg.view(np.uint32)[skipped : skipped + preloaded].tolist()
            wave.scalar[register : register + preloaded] = words
            wave.pc += _PRELOAD_ENTRY
        self._set_workgroup_ids(wave, workgroup)

    def _set_workgroup_ids(self, wave: Wave, workgroup: Dim3) -> None:
        kernel = self._kernel
        if self._program.target.is_gfx12:
            wave.scalar[_TTMP9] = workgroup[0]
            wave.scalar[_TTMP7] = (workgroup[1] & 0xFFFF | workgroup[2] << 16) & MASK32
            return
        register = kernel.user_sgpr_count
        for axis in range(3):
            if kernel.rsrc2 >> (7 + axis) & 1:
                wave.scalar[register] = workgroup[axis]
                register += 1

    def _set_thread_ids(self, wave: Wave) -> None:
        thread = np.arange(wave.index * wave.width, (wave.index + 1) * wave.width)
        size_x, size_y, _ = self._block
        x, y, z = thread % size_x, thread // size_x % size_y, thread // (size_x * size_y)
        wave.vector[0] = x | y << 10 | z << 20
