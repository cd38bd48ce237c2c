"""Assembly of each target, against numpy."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import same, some

TEXT = {
    "cpu": {"shift": "leal (,$1,8), $0", "both": "movl $2, $0\nnotl $0\nmovl $2, $1\nnegl $1"},
    "cuda": {"shift": "shl.b32 $0, $1, 3;",
             "both": "not.b32 $0, $2;\nneg.s32 $1, $2;"},
    "emulator": {"shift": "v_lshlrev_b32 $0, 3, $1",
                 "both": "v_not_b32 $0, $2\nv_sub_u32 $1, 0, $2"},
}
REGISTER = {"cpu": "r", "cuda": "r", "emulator": "v"}


@pytest.fixture(autouse=True)
def compiled_only(device):
    if device in ("interpreter", "scheduled"):
        pytest.skip("assembly cannot be interpreted")


@tw.jit
def asm_kernel(x, out, n, TEXT: tl.constexpr, CONSTRAINTS: tl.constexpr, PURE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    r = tl.inline_asm_elementwise(TEXT, CONSTRAINTS, [v], dtype=tl.int32, is_pure=PURE, pack=1)
    tl.store(out + i, r, mask=i < n)


@pytest.mark.parametrize("pure", [True, False])
@pytest.mark.parametrize("n", [1, 100, 256])
def test_assembly(rng, device, pure, n):
    x = some(rng, np.dtype("int32"), n)
    out = np.empty_like(x)
    constraints = "={0},{0}".format(REGISTER[device])
    asm_kernel[(1,)](x, out, n, TEXT=TEXT[device]["shift"], CONSTRAINTS=constraints, PURE=pure, BLOCK=256)
    assert same(out, x << 3)


@tw.jit
def two_results_kernel(x, out, TEXT: tl.constexpr, CONSTRAINTS: tl.constexpr):
    i = tl.arange(0, 128)
    a, b = tl.inline_asm_elementwise(asm=TEXT, constraints=CONSTRAINTS, args=[tl.load(x + i)],
                                     dtype=(tl.int32, tl.uint32), is_pure=True, pack=1)
    tl.store(out + i, a)
    tl.store(out + 128 + i, b.to(tl.int32))


def test_several_results_of_assembly(rng, device):
    x = some(rng, np.dtype("int32"), 128)
    out = np.empty((2, 128), np.int32)
    constraints = "=&{0},=&{0},{0}".format(REGISTER[device])
    two_results_kernel[(1,)](x, out, TEXT=TEXT[device]["both"], CONSTRAINTS=constraints)
    assert same(out, np.stack([~x, -x]))


@tw.jit
def packed_asm_kernel(x, out, TEXT: tl.constexpr, CONSTRAINTS: tl.constexpr, COUNT: tl.constexpr):
    i = tl.arange(0, COUNT)
    v = tl.load(x + i)
    r = tl.inline_asm_elementwise(TEXT, CONSTRAINTS, [v], dtype=tl.uint8, is_pure=True, pack=4)
    tl.store(out + i, r)


INVERT = {"cpu": ("movl $1, $0\nnotl $0", "=&r,r"), "cuda": ("not.b32 $0, $1;", "=r,r"),
          "emulator": ("v_not_b32 $0, $1", "=v,v")}


@pytest.mark.parametrize("count", [2, 16, 512])
def test_narrow_elements_share_a_register(rng, device, count):
    x = some(rng, np.dtype("uint8"), count)
    out = np.empty_like(x)
    text, constraints = INVERT[device]
    packed_asm_kernel[(1,)](x, out, TEXT=text, CONSTRAINTS=constraints, COUNT=count)
    assert same(out, ~x)


@tw.jit
def scalar_asm_kernel(out, n, TEXT: tl.constexpr, CONSTRAINTS: tl.constexpr):
    tl.store(out, tl.inline_asm_elementwise(TEXT, CONSTRAINTS, [n], dtype=tl.int32, is_pure=False, pack=1))


def test_assembly_on_scalars(device):
    out = np.zeros(1, np.int32)
    constraints = "={0},{0}".format(REGISTER[device])
    scalar_asm_kernel[(1,)](out, 21, TEXT=TEXT[device]["shift"], CONSTRAINTS=constraints)
    assert out[0] == 168


@pytest.mark.cpu_only(reason="assembly of another target than the CPU")
@pytest.mark.parametrize("text,constraints", [("shl.b32 $0, $1, 3;", "=r,r"), ("movl $1, $0", "=h,h"),
                                              ("{ mov.b32 $0, $1; }", "=f,f")])
def test_assembly_of_another_target_is_an_error(text, constraints):
    x = np.zeros(4, np.int32)
    with pytest.raises(tw.CompilationError, match="code generation for cpu") as error:
        asm_kernel[(1,)](x, x.copy(), 4, TEXT=text, CONSTRAINTS=constraints, PURE=True, BLOCK=4)
    assert "inline assembly, which is for one target only" in str(error.value)
    assert "tl.inline_asm_elementwise(" in str(error.value)  # the user's line
