"""Loads, stores and atomics: masks, odd sizes, strides, types in memory."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import FLOATS, INTEGERS, same, some

TYPES = [*INTEGERS, np.dtype(bool), *FLOATS]


@tw.jit
def copy_kernel(x, out, n, OTHER: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if OTHER is None:
        value = tl.load(x + i, mask=i < n)
    else:
        value = tl.load(x + i, mask=i < n, other=OTHER)
    tl.store(out + i, value)


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 100, 128])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_masked_lanes_give_other_or_zero(rng, dtype, n):
    x = some(rng, dtype, 128)
    for other in (None, 1):
        out = np.empty(128, dtype)
        copy_kernel[(1,)](x[:n].copy() if n else x, out, n, OTHER=other, BLOCK=128)
        expected = np.where(np.arange(128) < n, x, np.array(other or 0).astype(dtype)).astype(dtype)
        assert same(out, expected)


@tw.jit
def masked_store_kernel(x, out, n):
    i = tl.arange(0, 256)
    tl.store(out + i, tl.load(x + i), mask=(i < n) & (i % 3 != 0))


def test_masked_lanes_are_not_written(rng):
    x, out = some(rng, np.dtype("int32"), 256), np.full(256, 7, np.int32)
    masked_store_kernel[(1,)](x, out, 200)
    i = np.arange(256)
    assert same(out, np.where((i < 200) & (i % 3 != 0), x, 7).astype(np.int32))


@tw.jit
def transpose_kernel(x, out, rows, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (i[:, None] < rows) & (j[None, :] < columns)
    tile = tl.load(x + i[:, None] * columns + j[None, :], mask=mask)
    tl.store(out + j[:, None] * rows + i[None, :], tile.T, mask=mask.T)


@pytest.mark.parametrize("shape", [(1, 1), (33, 70), (64, 32)])
def test_transpose(rng, shape):
    x, out = some(rng, np.dtype("float32"), shape), np.empty(shape[::-1], np.float32)
    transpose_kernel[(tw.cdiv(shape[0], 32), tw.cdiv(shape[1], 32))](x, out, *shape, BLOCK=32)
    assert same(out, x.T)


@tw.jit
def wide_masks_kernel(out, first, bound):
    i = tl.arange(0, 64).to(tl.int64)
    place = first.to(tl.int64) * 4 + i
    limit = bound.to(tl.int64)
    ones = tl.full((64,), 1, tl.int8)
    tl.store(out + i, ones, mask=place < limit)
    tl.store(out + 64 + i, ones, mask=place <= limit)
    tl.store(out + 128 + i, ones, mask=limit < place)
    tl.store(out + 192 + i, ones, mask=place >= limit)
    tl.store(out + 256 + i, ones, mask=i > limit)
    tl.store(out + 320 + i[None, :], ones[None, :], mask=(place - 7 + i)[None, :] < limit)


@pytest.mark.parametrize("first", [2, -5, -2**31, 2**31 - 1])
@pytest.mark.parametrize("bound", [0, 3, 8, 40, 63, 64, 71, 72, -1, -5, -20, -2**31, 2**31 - 1])
def test_masks_by_offsets_of_64_bits(first, bound):
    out = np.zeros(384, np.int8)
    wide_masks_kernel[(1,)](out, first, bound)
    i = np.arange(64)
    place = first * 4 + i
    masks = [place < bound, place <= bound, place > bound, place >= bound, i > bound, place - 7 + i < bound]
    assert same(out, np.concatenate(masks).astype(np.int8))


@tw.jit
def gather_kernel(x, index, out, n):
    i = tl.arange(0, 128)
    place = tl.load(index + i, mask=i < n, other=0)
    tl.store(out + i, tl.load(x + place, mask=i < n), mask=i < n)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64"])
def test_offsets_of_each_type(rng, dtype):
    x = some(rng, np.dtype("float64"), 100)
    index = rng.integers(0, 100, 128).astype(dtype)
    out = np.zeros(128)
    gather_kernel[(1,)](x, index, out, 77)
    expected = np.where(np.arange(128) < 77, x[index.astype(int)], 0.0)
    assert same(out, expected)


@tw.jit
def scalar_kernel(x, out):
    tl.store(out, tl.load(x + 3) + 1)
    tl.store(out + 1, tl.load(x + 4), mask=tl.load(x) > 0)


def test_scalars(rng):
    x, out = np.arange(8, dtype=np.int64), np.full(2, -5, np.int64)
    scalar_kernel[(1,)](x, out)
    assert out.tolist() == [4, -5]


# --- atomics ----------------------------------------------------------------------------------------
@tw.jit
def atomic_kernel(x, index, out, old, n, OP: tl.constexpr):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    mask = i < n
    place = tl.load(index + i, mask=mask, other=0)
    value = tl.load(x + i, mask=mask, other=0)
    tl.store(old + i, OP(out + place, value, mask), mask=mask)


@tw.jit
def atomic_add(p, v, m):
    return tl.atomic_add(p, v, mask=m)


@tw.jit
def atomic_max(p, v, m):
    return tl.atomic_max(p, v, mask=m)


@tw.jit
def atomic_min(p, v, m):
    return tl.atomic_min(p, v, mask=m)


@tw.jit
def atomic_or(p, v, m):
    return tl.atomic_or(p, v, mask=m)


@tw.jit
def atomic_xor(p, v, m):
    return tl.atomic_xor(p, v, mask=m)


@tw.jit
def atomic_and(p, v, m):
    return tl.atomic_and(p, v, mask=m)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("op, reference", [(atomic_add, np.add), (atomic_max, np.maximum), (atomic_min, np.minimum),
                                           (atomic_or, np.bitwise_or), (atomic_xor, np.bitwise_xor),
                                           (atomic_and, np.bitwise_and)], ids=lambda op: op.__name__)
def test_atomics_on_integers(rng, op, reference, dtype):
    x = some(rng, np.dtype(dtype), 1000)
    index = rng.integers(0, 10, 1000).astype(np.int32)
    start = some(rng, np.dtype(dtype), 10)
    out, old = start.copy(), np.empty(1000, dtype)
    atomic_kernel[(tw.cdiv(1000, 64),)](x, index, out, old, 1000, OP=op)
    expected = start.copy()
    with np.errstate(all="ignore"):
        reference.at(expected, index, x)
    assert same(out, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_atomics_on_floats(rng, dtype):
    x = rng.integers(-100, 100, 1000).astype(dtype)
    index = rng.integers(0, 10, 1000).astype(np.int32)
    for op, reference in ((atomic_add, np.add), (atomic_max, np.maximum), (atomic_min, np.minimum)):
        out, old = np.full(10, -3.0, dtype), np.empty(1000, dtype)
        atomic_kernel[(tw.cdiv(1000, 64),)](x, index, out, old, 1000, OP=op)
        expected = np.full(10, -3.0, dtype)
        reference.at(expected, index, x)
        assert same(out, expected), op.__name__


@tw.jit
def counter_kernel(count, order):
    ticket = tl.atomic_add(count, 1)
    tl.store(order + ticket, tl.program_id(0))


def test_each_program_draws_another_ticket():
    count, order = np.zeros(1, np.int32), np.full(500, -1, np.int32)
    counter_kernel[(500,)](count, order)
    assert count[0] == 500 and sorted(order) == list(range(500))


@tw.jit
def lock_kernel(lock, total):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total, volatile=True) + 1)
    tl.atomic_xchg(lock, 0)


def test_a_lock():
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    lock_kernel[(200,)](lock, total)
    assert total[0] == 200 and lock[0] == 0


@tw.jit
def long_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@pytest.mark.parametrize("dtype", ["float32", "int8", "float64"])
def test_more_than_caches_hold(dtype):
    """Long arrays, at addresses of all alignments, are written past the caches and complete."""
    n = 40_000_000 // np.dtype(dtype).itemsize + 77
    x = np.arange(n + 8).astype(dtype)
    y = np.zeros(n + 8, dtype)
    for shift in (0, 1, 4):
        long_kernel[(tw.cdiv(n, 4096),)](x[:n], y[shift : shift + n], n, BLOCK=4096)
        assert np.array_equal(y[shift : shift + n], (x[:n] + 1).astype(dtype)) and not y[shift + n :].any()
        y[:] = 0


@tw.jit
def mixed_kernel(narrow, wide, sums, rounded, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, y = tl.load(narrow + i, mask=i < n, other=0), tl.load(wide + i, mask=i < n, other=0)
    total = x.to(y.dtype) + y
    tl.store(sums + i, total, mask=i < n)
    tl.store(rounded + i, (total * 2).to(x.dtype), mask=i < n)


@pytest.mark.parametrize("narrow, wide", [("float16", "float32"), ("int8", "float32"), ("int8", "float16"),
                                          ("int16", "int64"), ("float32", "float64")])
@pytest.mark.parametrize("n", [4096, 4000, 2051, 1])
def test_elements_of_different_widths(rng, narrow, wide, n):
    """Accesses of one shape have one layout: the widest elements say how many a thread accesses at a time."""
    x, y = rng.integers(-30, 31, n).astype(narrow), rng.integers(-30, 31, n).astype(wide)
    for block, warps in ((1024, 4), (2048, 4), (256, 8)):
        sums, rounded = np.full(n + 8, 7, wide), np.full(n + 8, 7, narrow)
        mixed_kernel[(tw.cdiv(n, block),)](x, y, sums, rounded, n, BLOCK=block, num_warps=warps)
        exact = x.astype(wide) + y
        assert same(sums, np.append(exact, np.full(8, 7, wide)))
        assert same(rounded, np.append((exact * 2).astype(narrow), np.full(8, 7, narrow)))
