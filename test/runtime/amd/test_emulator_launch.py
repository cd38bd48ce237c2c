"""How kernels start: arguments, ids, grids; and how control flows."""

from __future__ import annotations

import numpy as np
import pytest
from emulator_kernels import kernel_source
from tilewright.runtime.amd.emulator import (
    CodeObject,
    HostMemory,
    InvalidCodeObject,
    LaunchError,
    MemoryFault,
    ToolNotFound,
    find_objdump,
    launch,
)


@pytest.fixture
def geometry(arch, assemble):
    return assemble(kernel_source("geometry"), arch)


@pytest.fixture
def control(arch, assemble):
    return assemble(kernel_source("control"), arch)


def test_workgroup_ids_and_argument_kinds(geometry, rng):
    byte, wide = int(rng.integers(-128, 128)), int(rng.integers(-(2**60), 2**60))
    out = np.zeros((2, 2, 3, 64), np.int64)
    launch(geometry, "workgroup_ids", (3, 2, 2), (64,), [out, byte, 2.75, wide])
    z, y, x, t = np.indices(out.shape)
    assert np.array_equal(out, (x + 10 * y + 100 * z) * 1000 + t + byte + 2 + wide)


def test_thread_ids_of_a_block_that_does_not_fill_its_waves(geometry):
    out = np.full(64, -1, np.int32)
    launch(geometry, "thread_ids", (1,), (5, 3, 4), [out])
    z, y, x = np.indices((4, 3, 5))
    assert np.array_equal(out[:60].reshape(4, 3, 5), x + 10 * y + 100 * z)
    assert (out[60:] == -1).all()


def test_hidden_arguments(geometry):
    out = np.zeros(1, np.int32)
    launch(geometry, "hidden_arguments", (7,), (96,), [out])
    assert out[0] == 7096


def test_dispatch_packet(geometry):
    out = np.zeros(1, np.int32)
    launch(geometry, "dispatch_packet", (7,), (96,), [out])
    assert out[0] == 7 * 96


def test_preloaded_arguments(geometry, arch):
    # Arguments marked `inreg` come in registers, where the target can.
    preloads = geometry.kernel("preloaded").kernarg_preload != 0
    assert preloads == arch.startswith("gfx9")
    out = np.zeros(3, np.int32)
    launch(geometry, "preloaded", (3,), (1,), [out, 40, 2])
    assert (out == 42).all()


def test_divergent_loop(control, rng):
    x, y = rng.integers(0, 1000, 64).astype(np.int32), np.zeros(64, np.int32)
    launch(control, "divergent_loop", (1,), (64,), [x, y])
    expected = []
    for value in x.tolist():
        total = 0
        for j in range(value & 31):
            total = total + j * j if j % 3 == 0 else total ^ j
        expected.append(total)
    assert y.tolist() == expected


def test_calls_return(control, rng):
    x, y = rng.integers(-1000, 1000, 64).astype(np.int32), np.zeros(64, np.int32)
    launch(control, "call", (1,), (64,), [x, y])
    assert np.array_equal(y, 3 * x + 1)


def test_scalar_arithmetic(control, rng):
    n, a, b = 13, int(rng.integers(2**63)), int(rng.integers(2**63))
    y = np.zeros(64, np.uint64)
    launch(control, "uniform", (1,), (64,), [y, n, a, b])
    value, mask = a, 2**64 - 1
    for j in range(n):
        value = ((value * b + j) & mask) >> (j & 7)
        value = -value & mask if j % 2 else value
    assert (y == value).all()


def test_a_kernel_of_waves_of_64_runs_on_rdna(assemble, rng):
    source = kernel_source("control").replace(
        "nounwind", 'nounwind "target-features"="+wavefrontsize64"'
    )
    x, y = rng.integers(0, 1000, 64).astype(np.int32), np.zeros(64, np.int32)
    launch(assemble(source, "gfx1100"), "call", (1,), (64,), [x, y])
    assert np.array_equal(y, 3 * x + 1)


def test_gfx1201_runs_like_gfx1200(assemble, rng):
    x, y = rng.integers(0, 1000, 64).astype(np.int32), np.zeros(64, np.int32)
    launch(assemble(kernel_source("control"), "gfx1201"), "call", (1,), (64,), [x, y])
    assert np.array_equal(y, 3 * x + 1)


def test_errors_of_a_launch_say_what_is_wrong(geometry):
    out = np.zeros(64, np.int32)
    with pytest.raises(LaunchError, match="no kernel 'nothing'.*thread_ids"):
        launch(geometry, "nothing", (1,), (64,), [])
    with pytest.raises(LaunchError, match="takes 1 arguments, got 2"):
        launch(geometry, "thread_ids", (1,), (5, 3, 4), [out, 1])
    with pytest.raises(LaunchError, match="contiguous"):
        launch(geometry, "thread_ids", (1,), (5, 3, 4), [out[::2]])
    with pytest.raises(LaunchError, match="argument 1 is passed by value, got an array"):
        launch(geometry, "workgroup_ids", (1,), (64,), [out, out, 1.0, 1])
    with pytest.raises(LaunchError, match="argument 0 of 8 bytes cannot hold a float"):
        launch(geometry, "thread_ids", (1,), (5, 3, 4), [1.0])
    with pytest.raises(LaunchError, match="grid must be"):
        launch(geometry, "thread_ids", (0,), (5, 3, 4), [out])
    with pytest.raises(LaunchError, match="a workgroup has 1 to 1024 threads"):
        launch(geometry, "thread_ids", (1,), (2048,), [out])


def test_flushed_denormals_are_refused(assemble):
    source = kernel_source("geometry").replace(
        "#1 = { nounwind", '#1 = { nounwind "denormal-fp-math-f32"="preserve-sign,preserve-sign"'
    )
    with pytest.raises(LaunchError, match="float mode 0xc0"):
        launch(assemble(source, "gfx942"), "thread_ids", (1,), (5, 3, 4), [np.zeros(60, np.int32)])


def test_what_is_no_code_object_is_refused():
    with pytest.raises(InvalidCodeObject, match="expected an ELF64 file"):
        CodeObject(b"not an object")
    x86 = bytearray(64)
    x86[:5], x86[18] = b"\x7fELF\x02", 62
    with pytest.raises(InvalidCodeObject, match="got machine 62"):
        CodeObject(bytes(x86))
    x86[18], x86[48] = 224, 0x2C
    with pytest.raises(InvalidCodeObject, match="target 0x2c is not emulated"):
        CodeObject(bytes(x86))


def test_a_missing_disassembler_is_named(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_LLVM_OBJDUMP", "/nowhere/llvm-objdump")
    with pytest.raises(ToolNotFound, match="/nowhere/llvm-objdump.*TILEWRIGHT_LLVM_OBJDUMP"):
        find_objdump()


def test_dynamic_lds_extends_what_the_kernel_declares(assemble, arch, rng):
    source = """
@dynamic = external addrspace(3) global [0 x i32], align 16
define amdgpu_kernel void @reverse(ptr addrspace(1) %x) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %v = load i32, ptr addrspace(1) %p
  %to = getelementptr i32, ptr addrspace(3) @dynamic, i32 %t
  store i32 %v, ptr addrspace(3) %to
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %other = sub i32 127, %t
  %from = getelementptr i32, ptr addrspace(3) @dynamic, i32 %other
  %r = load i32, ptr addrspace(3) %from
  store i32 %r, ptr addrspace(1) %p
  ret void
}
attributes #0 = { nounwind "amdgpu-flat-work-group-size"="128,128" }"""
    code_object = assemble(source, arch)
    x = rng.integers(0, 1000, 128).astype(np.int32)
    expected = x[::-1].copy()
    launch(code_object, "reverse", (1,), (128,), [x], dynamic_lds=512)
    assert np.array_equal(x, expected)
    with pytest.raises(MemoryFault, match="outside its 508 bytes"):
        launch(code_object, "reverse", (1,), (128,), [x], dynamic_lds=508)


def test_addresses_of_known_memory_are_pointers(geometry):
    storage, memory = np.zeros(60, np.int32), HostMemory()
    memory.add_array(storage, "storage")
    launch(geometry, "thread_ids", (1,), (5, 3, 4), [storage.ctypes.data], memory=memory)
    assert storage[59] == 324


def test_empty_arrays_may_be_passed(geometry):
    with pytest.raises(MemoryFault, match="outside every allocation"):
        launch(geometry, "thread_ids", (1,), (5, 3, 4), [np.zeros(0, np.int32)])
