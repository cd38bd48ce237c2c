"""Atomic access: every operation over every type, orderings, and what programs see of each other."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import BF16, same, some

INTEGERS = ["int32", "uint32", "int64", "uint64"]
SEMANTICS = ["acquire", "release", "acq_rel", "relaxed"]
SCOPES = ["cta", "gpu", "sys"]


@tw.jit
def operate_kernel(x, out, old, n, OP: tl.constexpr, SEM: tl.constexpr, SCOPE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    value = tl.load(x + i)
    tl.store(old + i, OP(out + i, value, mask=mask, sem=SEM, scope=SCOPE))


OPERATIONS = {
    tl.atomic_add: (np.add, [*INTEGERS, "float16", BF16, "float32", "float64"]),
    tl.atomic_max: (np.maximum, [*INTEGERS, "float32", "float64"]),
    tl.atomic_min: (np.minimum, [*INTEGERS, "float32", "float64"]),
    tl.atomic_and: (np.bitwise_and, INTEGERS),
    tl.atomic_or: (np.bitwise_or, INTEGERS),
    tl.atomic_xor: (np.bitwise_xor, INTEGERS),
    tl.atomic_xchg: (lambda old, new: new, [*INTEGERS, "float32", "float64"]),
}
CASES = [(op, reference, np.dtype(dtype)) for op, (reference, types) in OPERATIONS.items() for dtype in types]


def name(value) -> str:
    return getattr(value, "__name__", str(value))


def numbers(rng, dtype, count) -> np.ndarray:
    """Values whose order numpy and the bits agree on: without NaN and zeros of both signs."""
    x = some(rng, dtype, count)
    return np.where(np.isnan(x.astype(np.float64)) | (x == 0), np.ones(1, dtype), x).astype(dtype)


@pytest.mark.parametrize("op, reference, dtype", CASES, ids=name)
def test_each_lane_acts_once(rng, op, reference, dtype):
    for n, block in ((37, 64), (256, 256), (1, 1)):
        x, start = numbers(rng, dtype, block), numbers(rng, dtype, block)
        out, old = start.copy(), np.empty(block, dtype)
        operate_kernel[(1,)](x, out, old, n, OP=op, SEM=None, SCOPE=None, BLOCK=block)
        live = np.arange(block) < n
        assert same(out, np.where(live, reference(start, x), start).astype(dtype))
        assert same(old, np.where(live, start, np.zeros(1, dtype)).astype(dtype))


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("sem", SEMANTICS)
@pytest.mark.parametrize("op, reference, dtype", [case for case in CASES if case[2].itemsize == 4], ids=name)
def test_orderings_and_scopes(rng, device, op, reference, dtype, sem, scope):
    x, start = numbers(rng, dtype, 64), numbers(rng, dtype, 64)
    out, old = start.copy(), np.empty(64, dtype)
    operate_kernel[(1,)](x, out, old, 64, OP=op, SEM=sem, SCOPE=scope, BLOCK=64)
    expected = reference(start, x).astype(dtype)
    if device == "cuda" and dtype == np.float32:  # what is below the normal numbers counts as zero
        normal = np.abs(x) >= 2.0**-126
        out, expected = out[normal], expected[normal]
    assert same(out, expected) and same(old, start)


@tw.jit
def add_rows_kernel(x, out, n, stride, first, SEM: tl.constexpr, SCOPE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = x + tl.program_id(0) * stride
    tl.atomic_add(out + first + i, tl.load(row + i, mask=i < n), mask=i < n, sem=SEM, scope=SCOPE)


@pytest.mark.parametrize("dtype", ["float32", "float16", BF16, "float64"])
@pytest.mark.parametrize("n, first", [(512, 0), (304, 16), (304, 2), (501, 0), (7, 5)])
def test_sums_that_nobody_asks_for(rng, dtype, n, first):
    """Runs of elements, as far as they are aligned and masked alike; what lies around stays."""
    rows, block = 6, 512
    # Integers that the types add up exactly, in whatever order programs come.
    x = rng.integers(-8, 9, (rows, block)).astype(dtype)
    start = rng.integers(-8, 9, block + 32).astype(dtype)
    for sem, scope in (("relaxed", "gpu"), ("acq_rel", "sys"), (None, None)):
        out = start.copy()
        add_rows_kernel[(rows,)](x, out, n, block, first, SEM=sem, SCOPE=scope, BLOCK=block)
        expected = start.copy()
        expected[first : first + n] += x[:, :n].astype(np.float64).sum(0).astype(dtype)
        assert same(out, expected)


@tw.jit
def collide_kernel(x, index, out, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    OP(out + tl.load(index + i, mask=mask, other=0), tl.load(x + i, mask=mask), mask)


@pytest.mark.parametrize("op, reference, dtype", [case for case in CASES if case[0] is not tl.atomic_xchg], ids=name)
def test_many_programs_on_few_places(rng, op, reference, dtype):
    n = 2000
    small = dtype.itemsize == 2  # what sums of 16-bit floats hold exactly
    least, most = (-1, 2) if small else (-100 * (dtype.kind != "u"), 100)
    x = rng.integers(least, most, n).astype(dtype)
    index = rng.integers(0, 7, n).astype(np.int32)
    out, expected = np.full(7, 5, dtype), np.full(7, 5, dtype)
    collide_kernel[(tw.cdiv(n, 64),)](x, index, out, n, OP=op, BLOCK=64)
    for place, value in zip(index, x, strict=True):
        expected[place] = reference(expected[place], value)
    assert same(out, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extrema_order_by_sign_and_bits(dtype):
    nan = np.array(np.nan, dtype)
    ordered = np.array([-nan, -np.inf, -2.5, -1e-40, -0.0, 0.0, 1e-40, 1.0, np.inf, nan], dtype)
    ordered[0], ordered[-1] = np.copysign(nan, -1), np.copysign(nan, 1)
    left, right = (each.ravel().copy() for each in np.meshgrid(np.arange(10), np.arange(10)))
    block = 128
    start, x = (np.pad(ordered[each], (0, block - 100)) for each in (left, right))
    bits = np.dtype(f"u{x.itemsize}")
    for op, choose in ((tl.atomic_max, np.maximum), (tl.atomic_min, np.minimum)):
        out, old = start.copy(), np.empty(block, dtype)
        operate_kernel[(1,)](x, out, old, 100, OP=op, SEM=None, SCOPE=None, BLOCK=block)
        expected = ordered[choose(left, right)]
        assert np.array_equal(out[:100].view(bits), expected.view(bits))


@tw.jit
def add_products_kernel(x, y, out, N, SIDE: tl.constexpr, D: tl.constexpr):
    i, d = tl.arange(0, SIDE), tl.arange(0, D)
    first = tl.program_id(0) * SIDE
    right = tl.load(y + (first + i)[:, None] * D + d[None, :])
    for start in range(0, N, SIDE):
        left = tl.load(x + (start + i)[:, None] * D + d[None, :])
        weights = tl.dot(left, right.T)
        tl.atomic_add(out + (start + i)[:, None] * D + d[None, :], tl.dot(weights.to(tl.float16), right))


@pytest.mark.parametrize("side, warps, stages", [(64, 4, 1), (64, 4, 3), (128, 8, 2), (32, 4, 2)])
def test_products_are_added_where_others_add(rng, side, warps, stages):
    N, D, programs = 2 * side, 64, 3
    x, y = (rng.integers(-1, 2, (rows, D)).astype(np.float16) for rows in (N, programs * side))
    out = np.zeros((N, D), np.float32)
    add_products_kernel[(programs,)](x, y, out, N, SIDE=side, D=D, num_warps=warps, num_stages=stages)
    left, right = x.astype(np.float32), y.astype(np.float32)
    assert np.array_equal(out, left @ right.T @ right)


@tw.jit
def scalar_kernel(out, old):
    tl.store(old, tl.atomic_add(out, 3))
    tl.store(old + 1, tl.atomic_xchg(out + 1, 7))
    tl.store(old + 2, tl.atomic_max(out + 2, 100, mask=tl.program_id(0) > 0))
    out.atomic_add(1, sem="relaxed")


def test_scalars_and_methods():
    out, old = np.array([10, 20, 30], np.int32), np.full(3, -1, np.int32)
    scalar_kernel[(1,)](out, old)
    assert out.tolist() == [14, 7, 30] and old.tolist() == [10, 20, 0]


@tw.jit
def spread_kernel(out, x, BLOCK: tl.constexpr):
    tl.atomic_add(out + tl.arange(0, BLOCK)[:, None] + 0 * tl.arange(0, 2)[None, :], tl.load(x))
    tl.atomic_add(out + tl.zeros((BLOCK,), tl.int32), 1.0)


def test_values_are_repeated_and_converted():
    out = np.zeros(16, np.float32)
    spread_kernel[(1,)](out, np.array([3], np.int32), BLOCK=16)
    expected = np.full(16, 6, np.float32)
    expected[0] += 16
    assert same(out, expected)


# --- compare and swap ---------------------------------------------------------------------------------
@tw.jit
def swap_kernel(out, expected, desired, old, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(old + i, tl.atomic_cas(out + i, tl.load(expected + i), tl.load(desired + i)))


@pytest.mark.parametrize("dtype", ["int16", "uint16", *INTEGERS, "float16", BF16, "float32", "float64"], ids=str)
def test_compare_and_swap(rng, dtype):
    start, desired = some(rng, np.dtype(dtype), 64), some(rng, np.dtype(dtype), 64)
    hit = rng.random(64) < 0.5
    bits = np.dtype(f"u{start.itemsize}")
    expected = np.where(hit, start.view(bits), start.view(bits) + 1).astype(bits).view(start.dtype)
    out, old = start.copy(), np.empty_like(start)
    swap_kernel[(1,)](out, expected, desired, old, BLOCK=64)
    assert np.array_equal(old.view(bits), start.view(bits))
    assert np.array_equal(out.view(bits), np.where(hit, desired.view(bits), start.view(bits)))


@tw.jit
def scalar_swap_kernel(out, old, SEM: tl.constexpr, SCOPE: tl.constexpr):
    tl.store(old, tl.atomic_cas(out, 5, 6, sem=SEM, scope=SCOPE))
    tl.store(old + 1, tl.atomic_cas(out, 5, 7, SEM, SCOPE))


@pytest.mark.parametrize("scope", [None, *SCOPES])
@pytest.mark.parametrize("sem", [None, *SEMANTICS])
def test_compare_and_swap_of_a_scalar(sem, scope):
    out, old = np.array([5], np.int64), np.zeros(2, np.int64)
    scalar_swap_kernel[(1,)](out, old, SEM=sem, SCOPE=scope)
    assert out[0] == 6 and old.tolist() == [5, 6]


# --- ordered accesses ---------------------------------------------------------------------------------
@tw.jit
def ordered_kernel(x, out, n, LOAD: tl.constexpr, STORE: tl.constexpr, SCOPE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.atomic_load(x + i, mask=i < n, sem=LOAD, scope=SCOPE)
    tl.atomic_store(out + i, value, mask=i < n + 3, sem=STORE, scope=SCOPE)


@pytest.mark.parametrize("scope", [None, *SCOPES])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float16", BF16, "float32", "float64"], ids=str)
def test_ordered_blocks(rng, dtype, scope):
    x = some(rng, np.dtype(dtype), 64)
    for load, store in ((None, None), ("acquire", "release"), ("relaxed", "relaxed")):
        out = np.ones(64, dtype)
        ordered_kernel[(1,)](x, out, 50, LOAD=load, STORE=store, SCOPE=scope, BLOCK=64)
        expected = x.copy()
        expected[50:53], expected[53:] = 0, 1
        assert same(out, expected)


@tw.jit
def ordered_scalar_kernel(x, out):
    tl.atomic_store(out, tl.atomic_load(x + 1) + 1)
    tl.atomic_store(out + 1, 5, mask=tl.program_id(0) > 0)


def test_ordered_scalars():
    out = np.array([-1, -2], np.int32)
    ordered_scalar_kernel[(1,)](np.array([10, 20], np.int32), out)
    assert out.tolist() == [21, -2]


@tw.jit
def chain_kernel(flag, data, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    if pid > 0:
        tl.atomic_poll(flag, pid)
    value = tl.load(data + i)
    tl.store(data + i, value + pid)
    tl.store(out + pid, tl.sum(value, 0))
    tl.atomic_store(flag, pid + 1)


def test_programs_wait_for_each_other():
    n, block = 20, 64
    flag, data, out = np.zeros(1, np.int32), np.zeros(block, np.int64), np.zeros(n, np.int64)
    chain_kernel[(n,)](flag, data, out, n, BLOCK=block)
    sums = np.cumsum(np.arange(n))
    assert flag[0] == n and np.all(data == sums[-1])
    assert out.tolist() == [block * (sums[pid] - pid) for pid in range(n)]


@tw.jit
def poll_kernel(flag, out, expected, timeout):
    tl.store(out, tl.atomic_poll(flag, expected, timeout_ns=timeout))
    tl.store(out + 1, tl.atomic_poll(flag, 3, sem="relaxed", scope="sys", timeout_ns=1000))


@pytest.mark.parametrize("dtype", ["int16", "int32", "uint32", "int64"])
def test_polling_gives_up(dtype):
    for expected in (3, 4):
        out = np.full(2, -1, np.int32)
        poll_kernel[(1,)](np.array([3], dtype), out, expected, 20000)
        assert out.tolist() == [expected == 3, 1]


@tw.jit
def sum_by_last_kernel(x, parts, out, counter, BLOCK: tl.constexpr):
    """Each program leaves its part; the one that comes last adds all of them, in order."""
    i = tl.arange(0, BLOCK)
    mine = tl.program_id(0) * BLOCK + i
    tl.store(parts + mine, tl.load(x + mine) + 1.0)
    if tl.atomic_add(counter, 1) == tl.num_programs(0) - 1:
        total = tl.zeros((BLOCK,), tl.float32)
        for part in range(tl.num_programs(0)):
            total += tl.load(parts + part * BLOCK + (i + BLOCK // 2) % BLOCK)
        tl.store(out + i, total)


@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("block", [32, 1024, 4096])
def test_the_last_program_sees_what_all_threads_of_others_wrote(rng, warps, block):
    for programs in (1, 7, 64):
        x = rng.integers(-100, 100, (programs, block)).astype(np.float32)
        parts, out = np.full_like(x, np.nan), np.empty(block, np.float32)
        sum_by_last_kernel[(programs,)](x, parts, out, np.zeros(1, np.int32), BLOCK=block, num_warps=warps)
        np.testing.assert_array_equal(out, np.roll((x + 1).sum(axis=0), -(block // 2)))
