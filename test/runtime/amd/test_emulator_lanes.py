"""Instructions that move values between lanes."""

from __future__ import annotations

import numpy as np
import pytest
from emulator_kernels import kernel_source, wave_size
from tilewright.runtime.amd.emulator import launch

THREAD = np.arange(64)


def _run(code_object, name, rng, y=None):
    x = rng.integers(-(2**20), 2**20, 64).astype(np.int32)
    y = np.zeros(64, np.int32) if y is None else y
    launch(code_object, name, (1,), (64,), [x, y])
    return x, y


@pytest.fixture
def run(arch, assemble, rng):
    """Run a kernel of ``lanes.ll`` on random numbers; gives them and the result."""
    code_object = assemble(kernel_source("lanes"), arch)
    return lambda name, y=None: _run(code_object, name, rng, y)


def test_lane_numbers(run, arch):
    _, y = run("lane_number")
    assert np.array_equal(y, THREAD % wave_size(arch))


def test_reading_one_lane(run, arch):
    x, y = run("read_lane")
    first = THREAD // wave_size(arch) * wave_size(arch)
    assert np.array_equal(y, x[first + 7] + 3 * x[first])


def test_writing_one_lane(run, arch):
    x, y = run("write_lane")
    assert np.array_equal(y, np.where(THREAD % wave_size(arch) == 5, 1234, x))


def test_ballot(run, arch):
    x, y = run("ballot")
    first = THREAD // wave_size(arch) * wave_size(arch)
    masks = [int((x[f : f + 32] > 0) @ (1 << np.arange(32))) for f in first]
    assert y.view(np.uint32).tolist() == masks


def test_pull_and_push(run):
    x, y = run("pull")
    assert np.array_equal(y, x[THREAD ^ 5])
    x, y = run("push")
    assert np.array_equal(y, x[THREAD ^ 9])


def test_swizzles(run):
    x, y = run("swizzles")
    quad = (THREAD & ~3) + np.array([2, 0, 3, 1])[THREAD & 3]
    assert np.array_equal(y, x[THREAD ^ 16] + 3 * x[quad])


def test_inactive_lanes_give_zero(run):
    _, y = run("pull_inactive", np.full(64, 7, np.int32))
    assert np.array_equal(y, np.where(THREAD % 2 == 0, 0, 7))


def _row(offset):
    """Source lanes of a shift within rows of 16, and which of them exist."""
    column = THREAD % 16 + offset
    return np.clip(THREAD + offset, 0, 63), (column >= 0) & (column < 16)


_ALWAYS = np.ones(64, bool)
_MIRROR = (THREAD & ~15) + 15 - (THREAD & 15)
_HALF_MIRROR = (THREAD & ~7) + 7 - (THREAD & 7)
_DPP = {
    # name: (control, source lanes, whether they exist)
    "quad_perm": (0xB1, THREAD ^ 1, _ALWAYS),
    "row_shl": (0x103, *_row(3)),
    "row_shr": (0x111, *_row(-1)),
    "row_ror": (0x124, (THREAD & ~15) + ((THREAD - 4) & 15), _ALWAYS),
    "row_mirror": (0x140, _MIRROR, _ALWAYS),
    "row_half_mirror": (0x141, _HALF_MIRROR, _ALWAYS),
}
_DPP_GFX9 = {
    "wave_shr": (0x138, np.clip(THREAD - 1, 0, 63), THREAD > 0),
    "row_bcast15": (0x142, np.maximum((THREAD & ~15) - 1, 0), THREAD >= 16),
    "row_bcast31": (0x143, np.full(64, 31), THREAD >= 32),
}
_DPP_RDNA = {
    "row_share": (0x155, (THREAD & ~15) + 5, _ALWAYS),
    "row_xmask": (0x166, THREAD ^ 6, _ALWAYS),
}
_DPP_KERNEL = """
define amdgpu_kernel void @{name}(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %v = load i32, ptr addrspace(1) %p
  %m = call i32 @llvm.amdgcn.update.dpp.i32(i32 {old}, i32 %v, i32 {control}, i32 {rows}, i32 15, i1 {zero})
  %r = add i32 %m, %v
  %q = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %r, ptr addrspace(1) %q
  ret void
}}
"""


def test_dpp_controls(arch, assemble, rng):
    controls = _DPP | (_DPP_GFX9 if arch.startswith("gfx9") else _DPP_RDNA)
    source = 'attributes #0 = { nounwind convergent "amdgpu-flat-work-group-size"="64,64" }\n'
    for name, (control, _, _) in controls.items():
        for suffix, zero in (("", "false"), ("_zero", "true")):
            fields = {"name": name + suffix, "control": control, "zero": zero}
            source += _DPP_KERNEL.format(old=1000003, rows=15, **fields)
    source += _DPP_KERNEL.format(name="rows", old=1000003, rows=5, control=0xB1, zero="false")
    code_object = assemble(source, arch)
    for name, (_, lanes, exists) in controls.items():
        x, y = _run(code_object, name, rng)
        assert np.array_equal(y, np.where(exists, x[lanes], 1000003) + x), name
        x, y = _run(code_object, f"{name}_zero", rng)
        assert np.array_equal(y, np.where(exists, x[lanes], 0) + x), f"{name}, zero fill"
    x, y = _run(code_object, "rows", rng)
    row = THREAD % wave_size(arch) // 16
    assert np.array_equal(y, np.where(row % 2 == 0, x[THREAD ^ 1], 1000003) + x), "row mask"


_PERMUTE = """
define amdgpu_kernel void @permute(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %v = load i32, ptr addrspace(1) %p
  {call}
  %q = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %r, ptr addrspace(1) %q
  ret void
}}
attributes #0 = {{ nounwind convergent "amdgpu-flat-work-group-size"="64,64" }}
"""


@pytest.mark.parametrize("arch", ["gfx1100", "gfx1200"])
def test_row_permutations_of_rdna(arch, assemble, rng):
    selectors = "i32 1985229328, i32 -19088744"  # 0x76543210, 0xfedcba98: the same column
    call = f"%r = call i32 @llvm.amdgcn.permlanex16.i32(i32 %v, i32 %v, {selectors}, i1 false, i1 false)"
    x, y = _run(assemble(_PERMUTE.format(call=call), arch), "permute", rng)
    assert np.array_equal(y, x[THREAD ^ 16])
    selectors = f"i32 {0x67452301}, i32 {0xEFCDAB89 - 2**32}"
    call = f"%r = call i32 @llvm.amdgcn.permlane16.i32(i32 %v, i32 %v, {selectors}, i1 false, i1 false)"
    x, y = _run(assemble(_PERMUTE.format(call=call), arch), "permute", rng)
    assert np.array_equal(y, x[THREAD ^ 1])


@pytest.mark.parametrize("arch", ["gfx1100", "gfx1200"])
def test_dpp8_of_rdna(arch, assemble, rng):
    order = rng.permutation(8)
    code = sum(int(lane) << 3 * position for position, lane in enumerate(order))
    call = f"%m = call i32 @llvm.amdgcn.mov.dpp8.i32(i32 %v, i32 {code})\n  %r = sub i32 %m, %v"
    x, y = _run(assemble(_PERMUTE.format(call=call), arch), "permute", rng)
    assert np.array_equal(y, x[(THREAD & ~7) + order[THREAD & 7]] - x)


def test_half_swap_of_gfx950(assemble, rng):
    call = """%v1 = add i32 %v, 1000
  %s = call {i32, i32} @llvm.amdgcn.permlane32.swap(i32 %v, i32 %v1, i1 false, i1 false)
  %a = extractvalue {i32, i32} %s, 0
  %b = extractvalue {i32, i32} %s, 1
  %b2 = mul i32 %b, 2
  %r = add i32 %a, %b2"""
    x, y = _run(assemble(_PERMUTE.format(call=call), "gfx950"), "permute", rng)
    first = np.concatenate([x[:32], x[:32] + 1000])
    second = np.concatenate([x[32:], x[32:] + 1000])
    assert np.array_equal(y, first + 2 * second)
