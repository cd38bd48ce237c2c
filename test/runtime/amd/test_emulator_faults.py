"""Wrong kernels are noticed: each is a right one with one thing changed."""

from __future__ import annotations

import numpy as np
import pytest
from emulator_kernels import kernel_source
from tilewright.runtime.amd.emulator import (
    DataRace,
    EmulatorError,
    IllegalExecution,
    MemoryFault,
    UnsupportedInstruction,
    launch,
)

_THREADS = 256
_BARRIER = "  call void @llvm.amdgcn.s.barrier()\n"
# y[t] = x[source(t)] through LDS, over several waves.
_EXCHANGE = f"""
@shared = internal addrspace(3) global [{_THREADS} x i32] poison, align 16
define amdgpu_kernel void @exchange(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %px = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %v = load i32, ptr addrspace(1) %px
  %to = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  store i32 %v, ptr addrspace(3) %to
  fence syncscope("workgroup") release
{_BARRIER}  fence syncscope("workgroup") acquire
  %source = sub i32 {_THREADS - 1}, %t
  %from = getelementptr i32, ptr addrspace(3) @shared, i32 %source
  %r = load i32, ptr addrspace(3) %from
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %r, ptr addrspace(1) %py
  ret void
}}
attributes #0 = {{ nounwind "amdgpu-flat-work-group-size"="{_THREADS},{_THREADS}" }}
"""


def _exchange(assemble, arch, rng, source=_EXCHANGE, x_size=_THREADS):
    x, y = rng.integers(0, 2**31, x_size).astype(np.int32), np.zeros(_THREADS, np.int32)
    launch(assemble(source, arch), "exchange", (1,), (_THREADS,), [x, y])
    return np.array_equal(y, x[::-1])


def _changed(old: str, new: str) -> str:
    assert _EXCHANGE.count(old) == 1
    return _EXCHANGE.replace(old, new)


def test_the_unchanged_kernel_is_right(assemble, arch, rng):
    assert _exchange(assemble, arch, rng)


def test_a_removed_barrier_is_a_race(assemble, arch, rng):
    with pytest.raises(DataRace, match=r"wave 0|wave \d+ writes byte.*same barrier interval"):
        _exchange(assemble, arch, rng, _changed(_BARRIER, ""))


def test_a_removed_barrier_is_a_race_even_if_the_numbers_are_right(assemble, arch, rng):
    # Every thread reads what an earlier wave wrote, and waves run in order.
    earlier = _changed(f"sub i32 {_THREADS - 1}, %t", "lshr i32 %t, 1")
    with pytest.raises(DataRace, match="reads byte .* of LDS, which wave 0 wrote"):
        _exchange(assemble, arch, rng, earlier.replace(_BARRIER, ""))


def test_reading_past_lds_is_a_fault(assemble, arch, rng):
    with pytest.raises(MemoryFault, match=r"LDS load .* outside its 1024 bytes .*wave 0, pc 0x"):
        _exchange(assemble, arch, rng, _changed(f"sub i32 {_THREADS - 1}", f"sub i32 {_THREADS}"))


def test_reading_past_an_array_is_a_fault(assemble, arch, rng):
    message = r"load of 4 bytes in \d+ lanes .*near argument 0 at byte 1020 of 1020.*`global_load"
    with pytest.raises(MemoryFault, match=message):
        _exchange(assemble, arch, rng, x_size=_THREADS - 1)


def test_writing_to_a_read_only_array_is_a_fault(assemble, arch, rng):
    x = np.zeros(_THREADS, np.int32)
    y = np.zeros(_THREADS, np.int32)
    y.flags.writeable = False
    with pytest.raises(MemoryFault, match="store to argument 1, which is read-only"):
        launch(assemble(_EXCHANGE, arch), "exchange", (1,), (_THREADS,), [x, y])


def test_a_freed_address_is_a_fault(assemble, arch):
    y = np.zeros(_THREADS, np.int32)
    with pytest.raises(MemoryFault, match="at 0x1000, outside every allocation"):
        launch(assemble(_EXCHANGE, arch), "exchange", (1,), (_THREADS,), [0x1000, y])


def test_an_endless_loop_ends(assemble, arch):
    source = kernel_source("control").replace("br i1 %again", "br i1 true")
    source = source.replace("%more = icmp slt i32 %j1, %n\n  br i1 %more", "br i1 true")
    out = np.zeros(64, np.int64)
    with pytest.raises(IllegalExecution, match="endless loop"):
        code_object = assemble(source, arch)
        launch(code_object, "uniform", (1,), (64,), [out, 1, 1, 1], max_instructions=2000)


def test_a_trap_is_reported(assemble, arch):
    source = "define amdgpu_kernel void @stop() { call void @llvm.trap() \n ret void }"
    with pytest.raises(EmulatorError):
        launch(assemble(source, arch), "stop", (1,), (1,), [])


def test_an_unknown_instruction_is_named_with_its_place(assemble):
    source = """
    define amdgpu_kernel void @clock(ptr addrspace(1) %out) {
      %v = call i32 @llvm.amdgcn.s.getreg(i32 2049)
      store i32 %v, ptr addrspace(1) %out
      ret void
    }"""
    message = r"gfx942: `s_getreg_b32 s\d+, hwreg.*` at 0x[0-9a-f]+ is not emulated: no semantics"
    with pytest.raises(UnsupportedInstruction, match=message):
        launch(assemble(source, "gfx942"), "clock", (1,), (1,), [np.zeros(1, np.int32)])


def test_uninitialized_registers_and_lds_show(assemble, arch, rng):
    # Nothing is stored to LDS: what comes back is the poison, not zeros.
    source = _changed("store i32 %v, ptr addrspace(3) %to", "")
    y = np.zeros(_THREADS, np.int32)
    x = np.zeros(_THREADS, np.int32)
    source = source.replace(
        "load i32, ptr addrspace(3) %from", "load volatile i32, ptr addrspace(3) %from"
    )
    launch(assemble(source, arch), "exchange", (1,), (_THREADS,), [x, y])
    assert (y.view(np.uint32) == 0xA5A5A5A5).all()
