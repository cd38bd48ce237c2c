"""Scalar functions and assembly for each element, against numpy."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import FLOATS, INTEGERS, same, some

DTYPES = [*INTEGERS, *FLOATS]


# --- scalar functions -------------------------------------------------------------------------------
@tw.jit
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@tw.jit
def collatz_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=1)
    tl.store(out + i, tl.map_elementwise(collatz, v), mask=i < n)


def collatz_steps(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@pytest.mark.parametrize("block", [16, 64, 256])
def test_loops_of_their_own(rng, block):
    x = rng.integers(1, 1000, 100).astype(np.int64)
    out = np.empty(100, np.int32)
    collatz_kernel[(tw.cdiv(100, block),)](x, out, 100, BLOCK=block)
    assert list(out) == [collatz_steps(int(n)) for n in x]


@tw.jit
def order(a, b):
    if a < b:
        return a, b, 1
    return b, a, 0


@tw.jit
def order_kernel(x, y, out, places):
    i = tl.arange(0, 128)
    low, high, first = tl.map_elementwise(order, tl.load(x + i), tl.load(y + i))
    tl.store(out + i, low)
    tl.store(out + 128 + i, high)
    tl.store(places + i, first)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_several_results(rng, dtype):
    x, y = some(rng, dtype, 128, special=False), some(rng, dtype, 128, special=False)
    out, places = np.empty((2, 128), dtype), np.empty(128, np.int32)
    order_kernel[(1,)](x, y, out, places)
    assert same(out, np.sort(np.stack([x, y]), 0)) and same(places, (x < y).astype(np.int32))


@tw.jit
def affine(x, scale, shift):
    return x * scale + shift


@tw.jit
def broadcast_kernel(x, out, shift):
    v = tl.load(x + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :])
    r = tl.map_elementwise(affine, v, tl.arange(0, 16)[None, :], shift)
    tl.store(out + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :], r)
    tl.store(out + 128, tl.map_elementwise(affine, 3, 4, shift))


def test_arguments_are_broadcast(rng):
    x = rng.integers(-99, 99, (8, 16)).astype(np.int32)
    out = np.empty(129, np.int32)
    broadcast_kernel[(1,)](x, out, 7)
    assert same(out[:128].reshape(8, 16), x * np.arange(16, dtype=np.int32) + 7) and out[128] == 19


@tw.jit
def both_halves(a0, a1, b0, b1):
    if a0 + a1 > 0:
        return a0, a1, b0 + 1, b1 + 1
    return -a0, -a1, b0, b1


@tw.jit
def pack_kernel(x, y, out, others):
    i = tl.arange(0, 256)
    a, b = tl.map_elementwise(both_halves, tl.load(x + i), tl.load(y + i), pack=2)
    tl.store(out + i, a)
    tl.store(others + i, b)


def test_packed_elements_stay_with_their_own(rng):
    x, y = rng.standard_normal(256).astype(np.float32), rng.integers(0, 9, 256).astype(np.int32)
    out, others = np.empty_like(x), np.empty_like(y)
    pack_kernel[(1,)](x, y, out, others)
    # Which elements go together is not said, but each keeps its place.
    assert same(np.abs(out), np.abs(x))
    kept = others == y + 1
    assert same(out[kept], x[kept]) and same(out[~kept], -x[~kept]) and same(others[~kept], y[~kept])


@tw.jit
def find(table, size, key):
    low = 0
    high = size
    while low < high:
        middle = (low + high) // 2
        if tl.load(table + middle) < key:
            low = middle + 1
        else:
            high = middle
    return low


@tw.jit
def find_kernel(table, keys, out, size, n):
    i = tl.arange(0, 64)
    m = i < n
    found = tl.map_elementwise(find, table, size, tl.load(keys + i, mask=m))
    tl.store(out + i, found, mask=m)


@pytest.mark.parametrize("n", [1, 50, 64])
def test_a_search_in_memory_for_each_element(rng, n):
    table = np.sort(rng.standard_normal(1000).astype(np.float32))
    keys = rng.standard_normal(n).astype(np.float32)
    out = np.empty(n, np.int32)
    find_kernel[(1,)](table, keys, out, 1000, n)
    assert same(out, np.searchsorted(table, keys).astype(np.int32))


@tw.jit
def piecewise(x):
    if x < 0:
        y = tl.exp(x) - 1
    else:
        y = x
    return y * 1.5


@tw.jit
def reduced_map_kernel(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i, j = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    v = tl.map_elementwise(piecewise, tl.load(x + i[:, None] * COLUMNS + j[None, :]))
    tl.store(out + i, tl.sum(v, 1))


@pytest.mark.parametrize("shape", [(4, 32), (8, 96), (3, 5)])
def test_map_before_a_reduction(rng, shape):
    x = rng.standard_normal(shape).astype(np.float32)
    out = np.empty(shape[0], np.float32)
    reduced_map_kernel[(1,)](x, out, ROWS=shape[0], COLUMNS=shape[1])
    exact = np.where(x < 0, np.expm1(x.astype(np.float64)), x).sum(1) * 1.5
    np.testing.assert_allclose(out, exact, rtol=1e-5, atol=1e-5)


# --- assembly -----------------------------------------------------------------------------------------
TEXT = {
    "cpu": {"shift": "leal (,$1,8), $0", "both": "movl $2, $0\nnotl $0\nmovl $2, $1\nnegl $1"},
    "cuda": {"shift": "shl.b32 $0, $1, 3;",
             "both": "not.b32 $0, $2;\nneg.s32 $1, $2;"},
    "emulator": {"shift": "v_lshlrev_b32 $0, 3, $1",
                 "both": "v_not_b32 $0, $2\nv_sub_u32 $1, 0, $2"},
}
REGISTER = {"cpu": "r", "cuda": "r", "emulator": "v"}


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
