"""Global memory, LDS, scratch, buffers and atomics."""

from __future__ import annotations

import numpy as np
import pytest
from emulator_kernels import kernel_source
from tilewright.runtime.amd.emulator import launch

THREADS = 64


@pytest.fixture
def run(arch, assemble):
    """Launch a kernel of ``memory.ll`` in one workgroup."""
    code_object = assemble(kernel_source("memory"), arch)
    return lambda name, *args: launch(code_object, name, (1,), (THREADS,), args)


def _ints(rng, count=THREADS, dtype=np.int32):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, count, dtype, endpoint=True)


def test_wide_accesses_copy(run, rng):
    x, y = _ints(rng, 4 * THREADS), np.zeros(4 * THREADS, np.int32)
    run("copy_b128", x, y)
    assert np.array_equal(x, y)


def test_misaligned_arrays_are_copied_byte_by_byte(run, rng):
    storage = np.zeros(16 * THREADS + 1, np.uint8)
    x, y = _ints(rng, 16 * THREADS, np.uint8), storage[1:]
    run("copy_b128", x, y)
    assert np.array_equal(x, y)


def test_constants_are_relocated(run, rng):
    x, y = _ints(rng), np.zeros(THREADS, np.int32)
    run("constant_table", x, y)
    assert np.array_equal(y, np.array([3, 1, 4, 1, 5, 9, 2, 6])[x & 7])


def test_waves_exchange_through_lds(run, rng):
    x, y = _ints(rng, 4 * THREADS), np.zeros(4 * THREADS, np.int32)
    run("reverse_lds", x, y)
    assert np.array_equal(y.reshape(-1, 4), x.reshape(-1, 4)[::-1])


def test_flat_pointers_reach_lds(run, rng):
    x, y = _ints(rng, dtype=np.int16), np.zeros(THREADS, np.int16)
    run("flat_lds", x, y)
    assert np.array_equal(y, x[np.arange(THREADS) ^ 1])


def test_scratch_is_private_to_each_lane(run, rng):
    x, y = _ints(rng), np.zeros(THREADS, np.int32)
    run("scratch_array", x, y)
    thread = np.arange(THREADS)
    expected = np.zeros(THREADS, np.int32)
    with np.errstate(over="ignore"):
        for k in range(8):
            expected += x[(thread + ((3 * k + thread) & 7)) & 63] * np.int32(k)
    assert np.array_equal(y, expected)


@pytest.mark.parametrize("inside", [0, 50, THREADS * 4])
def test_buffers_drop_what_lies_outside(run, arch, rng, inside):
    flags = 0x00027000 if arch.startswith("gfx9") else 0x31004000
    x, y = _ints(rng, 4 * THREADS), np.full(4 * THREADS, -1, np.int32)
    z = np.full(4 * THREADS, -1, np.int32)
    run("buffer", x, y, z, 4 * inside, flags)
    index = np.arange(4 * THREADS)
    assert np.array_equal(y, np.where(index < inside, x, 0))
    assert np.array_equal(z, np.where((index < inside) & (index < THREADS), index, -1))


def test_global_atomics_update_in_some_order(run, rng):
    x, y, z = _ints(rng), np.array([5, -(2**31), 0, -1, 99], np.int32), np.zeros(THREADS, np.int32)
    run("global_atomics", x, y, z)
    assert y[0] == 5 + 3 * THREADS
    assert y[1] == x.max()
    assert y[2] == np.bitwise_xor.reduce(x)
    assert y[3] == x.view(np.uint32).min().view(np.int32)
    # Each exchange gives what the one before left; the last one's stays.
    assert sorted([*z, y[4]]) == sorted([*range(THREADS), 99])


def test_compare_and_swap(run, rng):
    thread = np.arange(THREADS)
    y = np.where(rng.random(THREADS) < 0.5, thread, -7).astype(np.int32)
    before, z = y.copy(), np.zeros(THREADS, np.int32)
    run("compare_and_swap", y, z)
    assert np.array_equal(z, before)
    assert np.array_equal(y, np.where(before == thread, thread + 100, before))


def test_float_atomics(run, rng):
    x, y = rng.integers(-50, 50, THREADS).astype(np.float32), np.array([0.5], np.float32)
    run("float_atomics", x, y)
    assert y[0] == x.sum() + 0.5


def test_lds_atomics(run, rng):
    x, y = rng.integers(-1000, 1000, THREADS).astype(np.int32), np.zeros(THREADS, np.int32)
    run("lds_atomics", x, y)
    assert (y == x.sum()).all()


def test_narrow_accesses_extend(run, rng):
    x8, x16 = _ints(rng, dtype=np.int8), _ints(rng, dtype=np.int16)
    y8, y16, z = np.zeros_like(x8), np.zeros_like(x16), np.zeros(THREADS, np.int32)
    run("narrow", x8, x16, y8, y16, z)
    assert np.array_equal(y8, x8[::-1]) and np.array_equal(y16, x16[::-1])
    assert np.array_equal(z, x8[::-1].astype(np.int32) + x16[::-1].view(np.uint16))


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_loads_straight_into_lds(arch, assemble, rng):
    code_object = assemble(kernel_source("cdna"), arch)
    x, y = _ints(rng), np.zeros(THREADS, np.int32)
    launch(code_object, "load_to_lds", (1,), (THREADS,), [x, y])
    assert np.array_equal(y, x[::-1])
    launch(code_object, "buffer_to_lds", (1,), (THREADS,), [x, y])
    assert np.array_equal(y, np.where(np.arange(THREADS) < 50, x, 0))


def test_transposing_loads_of_gfx950(assemble, rng):
    source = """
@shared = internal addrspace(3) global [256 x i16] poison, align 16
define amdgpu_kernel void @transpose(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %px = getelementptr <4 x i16>, ptr addrspace(1) %x, i64 %i
  %v = load <4 x i16>, ptr addrspace(1) %px
  %p = getelementptr <4 x i16>, ptr addrspace(3) @shared, i32 %t
  store <4 x i16> %v, ptr addrspace(3) %p
  %r = call <4 x i16> @llvm.amdgcn.ds.read.tr16.b64.v4i16(ptr addrspace(3) %p)
  %py = getelementptr <4 x i16>, ptr addrspace(1) %y, i64 %i
  store <4 x i16> %r, ptr addrspace(1) %py
  ret void
}
attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" }"""
    x, y = _ints(rng, 256, np.int16), np.zeros(256, np.int16)
    launch(assemble(source, "gfx950"), "transpose", (1,), (THREADS,), [x, y])
    # Within 16 lanes: four lanes hold a row of 16 elements, each lane gets a column of 4.
    groups = x.reshape(4, 4, 16)
    assert np.array_equal(y.reshape(4, 16, 4), groups.transpose(0, 2, 1))
