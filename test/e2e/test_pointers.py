"""Pointers as values: arithmetic, casts, comparisons, pointers to pointers; shapes of masks; modifiers."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import BF16, FLOATS, INTEGERS, same, some

TYPES = [*INTEGERS, np.dtype(bool), *FLOATS]


@tw.jit
def offset_kernel(x, index, out, n: tl.constexpr):
    i = tl.arange(0, n)
    offset = tl.load(index + i)
    tl.store(out + i, tl.load(x + 64 + offset))
    tl.store(out + n + i, tl.load(x + 64 - offset))
    tl.store(out + 2 * n + i, tl.load(offset + (x + 64)))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_offsets_of_any_integer(rng, dtype):
    x = some(rng, np.dtype("int16"), 128)
    low = 0 if dtype.kind == "u" else -63
    index, out = rng.integers(low, 63, 32).astype(dtype), np.zeros(96, np.int16)
    offset_kernel[(1,)](x, index, out, n=32)
    wide = index.astype(np.int64)
    assert same(out, np.concatenate([x[64 + wide], x[64 - wide], x[64 + wide]]))


@tw.jit
def rows_kernel(x, out, columns, stride, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = i % columns + (i // columns) * stride
    left = tl.load(x + place, mask=i < count)
    is_left = (i < count) & (i % columns < columns // 2)
    right = tl.load(x + ((i // columns) * stride + i % columns), mask=is_left, other=1)
    tl.store(out + place, left + right, mask=i < count)


@pytest.mark.parametrize("columns, stride", [(48, 64), (16, 16), (40, 56), (33, 47), (1, 3)])
def test_rows_by_quotients_and_remainders(rng, columns, stride):
    """Rows put at another distance: runs as long as what divides both."""
    rows, block = 21, 256
    x, out = some(rng, np.dtype("int16"), rows * stride), np.zeros(rows * stride, np.int16)
    rows_kernel[(-(-rows * columns // block),)](x, out, columns, stride, rows * columns, BLOCK=block)
    wide, expected = x.reshape(rows, stride), np.zeros((rows, stride), np.int16)
    other = np.where(np.arange(columns) < columns // 2, wide[:, :columns], 1)
    expected[:, :columns] = wide[:, :columns] + other
    assert same(out.reshape(rows, stride), expected)


@tw.jit
def far_kernel(x, out, far):
    tl.store(out, tl.load(x + far - (far - 3)))
    tl.store(out + 1, tl.load(x + (far.to(tl.int64) << 20) + (2 - (far.to(tl.int64) << 20))))


def test_offsets_beyond_32_bits():
    x, out = np.arange(8, dtype=np.float32), np.zeros(2, np.float32)
    far_kernel[(1,)](x, out, 1 << 33)
    assert out.tolist() == [3, 2]


@tw.jit
def table_kernel(table, out, n, BLOCK: tl.constexpr):
    """Each entry of the table is the address of an array."""
    i = tl.arange(0, BLOCK)
    address = tl.load(table + tl.program_id(0))
    x = address.to(tl.pointer_type(tl.float32))
    tl.store(out + tl.program_id(0) * n + i, tl.load(x + i, mask=i < n), mask=i < n)


@tw.jit
def pointer_table_kernel(table, out, BLOCK: tl.constexpr):
    pointers = table.to(tl.pointer_type(tl.pointer_type(tl.int32)))
    i = tl.arange(0, BLOCK)
    block = tl.load(pointers + i)  # a block of pointers to numbers
    tl.store(out + i, tl.load(block + 1))


@pytest.mark.cpu_only(reason="addresses of the host's arrays")
def test_pointers_in_memory(rng):
    arrays = [some(rng, np.dtype("float32"), 50) for _ in range(4)]
    table = np.array([each.ctypes.data for each in arrays], np.int64)
    out = np.zeros((4, 50), np.float32)
    table_kernel[(4,)](table, out, 50, BLOCK=64)
    assert same(out, np.stack(arrays))
    pairs = rng.integers(-9, 9, (8, 2)).astype(np.int32)
    rows = (pairs.ctypes.data + 8 * np.arange(8)).astype(np.int64)
    found = np.zeros(8, np.int32)
    pointer_table_kernel[(1,)](rows, found, BLOCK=8)
    assert same(found, pairs[:, 1])


@tw.jit
def cast_kernel(x, out, bits):
    i = tl.arange(0, 16)
    address = (x + i).to(tl.int64)
    tl.store(out + i, tl.load(address.to(tl.pointer_type(tl.float32))))
    tl.store(bits + i, tl.load((x + i).to(tl.pointer_type(tl.int32), bitcast=True)))
    tl.store(bits + 16 + i, (address - x.to(tl.int64)).to(tl.int32))
    tl.store(bits + 32, (x + 1 == x + 1).to(tl.int32) + 2 * (x != x + 1).to(tl.int32) + 4 * (x + 2 > x).to(tl.int32))
    tl.store(bits + 33, tl.load(tl.where(tl.load(x) > 1000.0, x, x + 5).to(tl.pointer_type(tl.int32))))


def test_casts_and_comparisons(rng):
    x, out, bits = some(rng, np.dtype("float32"), 16), np.zeros(16, np.float32), np.zeros(34, np.int32)
    x[0] = 1
    cast_kernel[(1,)](x, out, bits)
    assert same(out, x) and np.array_equal(bits[:16], x.view(np.int32))
    assert bits[16:32].tolist() == [4 * i for i in range(16)] and bits[32] == 7
    assert bits[33] == x.view(np.int32)[5]


@tw.jit
def const_kernel(x: tl.const, y: "tl.const", out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i) + tl.load(y + i))


def test_read_only_pointers(rng):
    x, y, out = some(rng, np.dtype("int32"), 16), some(rng, np.dtype("int32"), 16), np.zeros(16, np.int32)
    const_kernel[(1,)](x, y, out)
    assert same(out, x + y)


@tw.jit
def conversion_kernel(out, value, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, value)
    tl.store(out + BLOCK + i, 1)
    tl.store(out + 2 * BLOCK + i, tl.full((BLOCK,), 3, tl.int8))
    tl.store(out + 3 * BLOCK, value)
    tl.store(out + 3 * BLOCK + 1, True)


@pytest.mark.parametrize("dtype", [*TYPES, np.dtype(ml_dtypes.float8_e5m2)], ids=str)
def test_values_are_repeated_and_converted(dtype):
    out = np.zeros(3 * 16 + 2, dtype)
    conversion_kernel[(1,)](out, 2.0, BLOCK=16)
    expected = np.array([2.0] * 16 + [1] * 16 + [3] * 16 + [2.0, 1]).astype(dtype)
    assert same(out.astype(np.float64), expected.astype(np.float64))


@tw.jit
def mask_kernel(x, out, m, n, OTHER: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    pointers = x + i[:, None] * N + j[None, :]
    rows, columns = (i < m)[:, None], (j < n)[None, :]
    fill = j[None, :].to(tl.float32) if OTHER == "row" else -1.0
    a = tl.load(pointers, mask=rows, other=fill)
    b = tl.load(pointers, mask=columns, other=fill)
    c = tl.load(pointers, mask=m > 2, other=fill)
    d = tl.load(x + j[None, :] + tl.zeros((M, 1), tl.int32), mask=rows & columns, other=0)
    places = i[:, None] * N + j[None, :]
    tl.store(out + places, a, mask=columns)
    tl.store(out + M * N + places, b, mask=True)
    tl.store(out + 2 * M * N + places, c, mask=m > 0)
    tl.store(out + 3 * M * N + places, d, mask=n < 0)


@pytest.mark.parametrize("other", ["row", "number"])
def test_masks_are_repeated(rng, other):
    x = some(rng, np.dtype("float32"), (8, 16))
    for m, n in ((5, 11), (2, 16), (0, 0)):
        out = np.full((4, 8, 16), 7, np.float32)
        mask_kernel[(1,)](x, out, m, n, OTHER=other, M=8, N=16)
        i, j = np.arange(8)[:, None], np.arange(16)[None, :]
        fill = np.broadcast_to(j, (8, 16)).astype(np.float32) if other == "row" else np.float32(-1)
        assert same(out[0], np.where(j < n, np.where(i < m, x, fill), 7).astype(np.float32))
        assert same(out[1], np.where(j < n, x, fill).astype(np.float32))
        assert same(out[2], np.where(m > 0, np.where(m > 2, x, fill), 7).astype(np.float32))
        assert np.all(out[3] == 7)


@tw.jit
def modifier_kernel(x, out, n, LOAD: tl.constexpr, STORE: tl.constexpr, EVICT: tl.constexpr, VOLATILE: tl.constexpr,
                    BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=2, cache_modifier=LOAD, eviction_policy=EVICT, volatile=VOLATILE)
    tl.store(out + i, value, cache_modifier=STORE, eviction_policy=EVICT)
    tl.store(out + BLOCK, tl.load(x, cache_modifier=LOAD, eviction_policy=EVICT, volatile=VOLATILE),
             cache_modifier=STORE, eviction_policy=EVICT)


@pytest.mark.parametrize("dtype", ["int8", "float16", BF16, "float32", "int64"], ids=str)
@pytest.mark.parametrize("load, store, evict, volatile", [
    ("", "", "", False), (".ca", ".wb", "", False), (".cg", ".cg", "", False), (".cs", ".cs", "", False),
    (".cv", ".wt", "", False), ("", "", "evict_first", False), ("", "", "evict_last", False),
    (".cg", ".cs", "evict_last", False), (".ca", ".wt", "evict_first", False), ("", "", "", True)])
def test_modifiers_change_no_values(rng, dtype, load, store, evict, volatile):
    x, out = some(rng, np.dtype(dtype), 256), np.zeros(257, dtype)
    modifier_kernel[(1,)](x, out, 200, LOAD=load, STORE=store, EVICT=evict, VOLATILE=volatile, BLOCK=256)
    expected = np.append(x, x[0])
    expected[200:256] = 2
    assert same(out, expected)
