"""Descriptors of arrays, made on the device and by the host."""

from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import BF16, FLOATS, INTEGERS, is_float, same, some
from tilewright.tools.ragged import atomic_add_ragged, create_ragged_descriptor, load_ragged, store_ragged
from tilewright.tools.tensor_descriptor import TensorDescriptor

FP8 = [np.dtype(ml_dtypes.float8_e5m2), np.dtype(ml_dtypes.float8_e4m3fn)]
TYPES = [*INTEGERS, *FLOATS]


def padded(array: np.ndarray, offsets, block, padding=0) -> np.ndarray:
    """The block at the offsets, with padding where it is outside of the array."""
    places = np.ix_(*(np.arange(offset, offset + size) for offset, size in zip(offsets, block, strict=True)))
    inside = np.ones(block, bool)
    clipped = []
    for place, size in zip(places, array.shape, strict=True):
        inside = inside & (place >= 0) & (place < size)
        clipped.append(np.clip(place, 0, size - 1))
    return np.where(inside, array[tuple(clipped)], np.array(padding).astype(array.dtype)).astype(array.dtype)


def aligned(rng, dtype, rows: int, columns: int) -> np.ndarray:
    """Rows that begin at multiples of 16 bytes, as descriptors need them."""
    pitch = -(-columns * dtype.itemsize // 16) * 16 // dtype.itemsize
    return some(rng, dtype, (rows, pitch))[:, :columns]


@tw.jit
def copy_kernel(x, out, m, n, stride_x, stride_out, PADDING: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [m, n], [stride_x, 1], [BM, BN], PADDING)
    target = tl.make_tensor_descriptor(out, shape=[m, n], strides=[stride_out, 1], block_shape=[BM, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    target.store([i, j], source.load([i, j]))


@pytest.mark.parametrize("shape", [(1, 1), (33, 65), (64, 128), (40, 100)])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_made_on_the_device(rng, dtype, shape):
    x, out = aligned(rng, dtype, *shape), np.zeros(shape, dtype)
    copy_kernel[(tw.cdiv(shape[0], 16), tw.cdiv(shape[1], 32))](
        x, out, *shape, x.strides[0] // dtype.itemsize, shape[1], PADDING="zero", BM=16, BN=32)
    assert same(out, x)


@tw.jit
def whole_block_kernel(x, out, m, n, stride, i, j, PADDING: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    desc = tl.make_tensor_descriptor(x, [m, n], [stride, 1], [BM, BN], padding_option=PADDING)
    block = tl.load_tensor_descriptor(desc, [i, j])
    rows, columns = tl.arange(0, BM), tl.arange(0, BN)
    tl.store(out + rows[:, None] * BN + columns[None, :], block)


@pytest.mark.parametrize("offsets", [(0, 0), (-3, 5), (30, -7), (40, 200), (-16, -32), (2**31 - 8, 0)])
@pytest.mark.parametrize("dtype", [*FLOATS, *FP8, np.dtype("int32")], ids=str)
def test_padding(rng, dtype, offsets):
    shape = (37, 61)
    x = aligned(rng, np.dtype("float32"), *shape).astype(dtype) if dtype in FP8 else aligned(rng, dtype, *shape)
    x = x if x.strides[0] % 16 == 0 else np.pad(x, ((0, 0), (0, 3)))[:, :61]
    for padding in ["zero"] + ["nan"] * (dtype in FP8 or is_float(dtype)):
        out = np.empty((16, 32), dtype)
        whole_block_kernel[(1,)](x, out, *shape, x.strides[0] // dtype.itemsize, *offsets, PADDING=padding,
                                 BM=16, BN=32)
        expected = padded(x, offsets, (16, 32), np.nan if padding == "nan" else 0)
        assert same(out.astype(np.float64), expected.astype(np.float64))


@tw.jit
def line_kernel(x, out, n, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [n], [1], [BLOCK])
    target = tl.make_tensor_descriptor(out, [n], [1], [BLOCK])
    i = tl.program_id(0) * BLOCK
    tl.store_tensor_descriptor(target, [i], tl.load_tensor_descriptor(source, [i]) + 1)


def test_one_dimension(rng):
    x, out = some(rng, np.dtype("float32"), 1000), np.zeros(1000, np.float32)
    line_kernel[(8,)](x, out, 1000, BLOCK=128)
    assert same(out, x + np.float32(1))


@tw.jit
def deep_kernel(x, out, d0, d1, d2, d3, d4, s0, s1, s2, s3, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [d0, d1, d2, d3, d4], [s0, s1, s2, s3, 1], [1, 2, 2, 4, B])
    target = tl.make_tensor_descriptor(out, [d0, d1, d2, d3, d4], [s0, s1, s2, s3, 1], [1, 2, 2, 4, B])
    i = tl.program_id(0)
    for j in range(0, d1, 2):
        for k in range(0, d2, 2):
            target.store([i, j, k, 0, 0], source.load([i, j, k, 0, 0]))


def test_five_dimensions(rng):
    shape = (3, 5, 4, 3, 8)
    x, out = some(rng, np.dtype("float32"), shape), np.zeros(shape, np.float32)
    strides = [step // 4 for step in x.strides[:-1]]
    deep_kernel[(3,)](x, out, *shape, *strides, B=8)
    assert same(out, x)


# --- made by the host ---------------------------------------------------------------------------------
@tw.jit
def host_kernel(source, target, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    target.store([i, j], source.load([i, j]))


@pytest.mark.parametrize("shape", [(1, 8), (33, 72), (64, 128), (40, 104)])
@pytest.mark.parametrize("dtype", [*TYPES, *FP8], ids=str)
def test_made_by_the_host(rng, dtype, shape):
    columns = -(-shape[1] * dtype.itemsize // 16) * 16 // dtype.itemsize
    x = some(rng, np.dtype("float32"), (shape[0], columns)).astype(dtype) if dtype in FP8 else some(
        rng, dtype, (shape[0], columns))
    out = np.zeros_like(x)
    source, target = (TensorDescriptor.from_tensor(each, [16, 32]) for each in (x, out))
    host_kernel[(tw.cdiv(shape[0], 16), tw.cdiv(columns, 32))](source, target, BM=16, BN=32)
    assert same(out.astype(np.float64), x.astype(np.float64)) if dtype in FP8 else same(out, x)


def test_a_part_of_an_array(rng):
    x, out = some(rng, np.dtype("float32"), (40, 64)), np.zeros((40, 64), np.float32)
    source = TensorDescriptor(x, [37, 50], [64, 1], [16, 32])
    target = TensorDescriptor(out, [37, 50], [64, 1], [16, 32])
    host_kernel[(3, 2)](source, target, BM=16, BN=32)
    expected = np.zeros_like(x)
    expected[:37, :50] = x[:37, :50]
    assert same(out, expected)


@tw.jit
def fields_kernel(desc, out):
    tl.store(out, desc.shape[0])
    tl.store(out + 1, desc.shape[1])
    tl.store(out + 2, desc.strides[0])
    tl.store(out + 3, desc.strides[1])
    tl.store(out + 4, desc.block_shape[0])
    tl.store(out + 5, desc.block_shape[1])
    tl.static_assert(desc.dtype == tl.float16)
    tl.static_assert(isinstance(desc, tl.tensor_descriptor))


def test_fields():
    x, out = np.zeros((10, 24), np.float16), np.zeros(6, np.int64)
    fields_kernel[(1,)](TensorDescriptor(x, [9, 20], [24, 1], [4, 16]), out)
    assert out.tolist() == [9, 20, 24, 1, 4, 16]


@tw.jit
def padded_host_kernel(desc, out, i, j):
    rows, columns = tl.arange(0, 8), tl.arange(0, 16)
    tl.store(out + rows[:, None] * 16 + columns[None, :], desc.load([i, j]))


def test_host_padding_and_rounding(rng):
    x = some(rng, np.dtype("float32"), (10, 20))
    for padding in ("zero", "nan"):
        out = np.empty((8, 16), np.float32)
        padded_host_kernel[(1,)](TensorDescriptor.from_tensor(x, [8, 16], padding=padding), out, 5, 9)
        assert same(out, padded(x, (5, 9), (8, 16), np.nan if padding == "nan" else 0))
    out = np.empty((8, 16), np.float32)
    padded_host_kernel[(1,)](TensorDescriptor.from_tensor(x, [8, 16], round_f32_to_tf32=True), out, 0, 0)
    bits = x[:8, :16].view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0xFFF + (bits >> 13 & 1)) & 0xFFFFE000).astype(np.uint32).view(np.float32)
    assert same(out, np.where(np.isfinite(x[:8, :16]), rounded, x[:8, :16]))


def test_fields_that_change_between_launches(rng):
    x = some(rng, np.dtype("float32"), (16, 32))
    source, out = TensorDescriptor.from_tensor(x, [16, 32]), np.zeros((16, 32), np.float32)
    target = TensorDescriptor.from_tensor(out, [16, 32])
    host_kernel[(1, 1)](source, target, BM=16, BN=32)
    assert same(out, x)
    out[:] = 0
    source.block_shape = target.block_shape = [8, 16]
    host_kernel[(2, 2)](source, target, BM=8, BN=16)
    assert same(out, x)


class Pair(NamedTuple):
    first: TensorDescriptor
    second: TensorDescriptor


@tw.jit
def pair_kernel(pair):
    pair.second.store([0, 0], pair.first.load([0, 0]))


def test_inside_a_tuple(rng):
    x, out = some(rng, np.dtype("int32"), (8, 16)), np.zeros((8, 16), np.int32)
    pair_kernel[(1,)](Pair(*(TensorDescriptor.from_tensor(each, [8, 16]) for each in (x, out))))
    assert same(out, x)


# --- through functions and control flow ---------------------------------------------------------------
@tw.jit
def read(desc, i, j):
    return desc.load([i, j])


@tw.jit
def choose(first, second, flag):
    chosen = first
    if flag > 0:
        chosen = second
    return chosen


@tw.jit
def flow_kernel(x, y, target, flag, n, B: tl.constexpr):
    first = tl.make_tensor_descriptor(x, [B, n], [n, 1], [B, B])
    second = tl.make_tensor_descriptor(y, [B, n], [n, 1], [B, B])
    now = choose(first, second, flag)
    other = first if flag > 0 else second
    for j in range(0, n, B):
        target.store([0, j], read(now, 0, j))
        now, other = other, now


@pytest.mark.parametrize("flag", [0, 1])
def test_control_flow(rng, flag):
    x, y = (some(rng, np.dtype("float32"), (16, 64)) for _ in range(2))
    out = np.zeros((16, 64), np.float32)
    flow_kernel[(1,)](x, y, TensorDescriptor.from_tensor(out, [16, 16]), flag, 64, B=16)
    first, second = (y, x) if flag else (x, y)
    for j in range(0, 64, 16):
        expected = first if j // 16 % 2 == 0 else second
        assert same(out[:, j:j + 16], expected[:, j:j + 16])


@tw.jit
def matmul_kernel(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([i, k]), b.load([k, j]), acc)
    c.store([i, j], acc.to(c.dtype))


@pytest.mark.parametrize("dtype", ["float16", BF16, "float32"], ids=str)
def test_matmul(rng, dtype):
    m, n, k = 72, 88, 120
    a, b = (rng.standard_normal(shape).astype(dtype) for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), dtype)
    arguments = [TensorDescriptor.from_tensor(each, block) for each, block in
                 ((a, [32, 32]), (b, [32, 32]), (c, [32, 32]))]
    matmul_kernel[(3, 3)](*arguments, k, BM=32, BN=32, BK=32)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(c.astype(np.float64), exact, rtol=2e-2, atol=5e-2)


@tw.jit
def halves_kernel(a, b, c, M, N, K, COUNT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Each program's tiles, one after the other, each stored in two halves."""
    columns = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * columns, COUNT):
        i, j = tile // columns * BM, tile % columns * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([i, k]), b.load([j, k]).T, acc)
        left, right = tl.split(tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1)))
        c.store([i, j], left.to(c.dtype))
        c.store([i, j + BN // 2], right.to(c.dtype))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("block, warps", [((128, 256, 64), 8), ((128, 128, 64), 8), ((64, 64, 32), 4)], ids=str)
def test_products_in_halves(rng, dtype, block, warps):
    m, n, k = 2 * block[0] - 24, 2 * block[1] - 40, 3 * block[2] - 8
    a, b = (rng.integers(-4, 5, shape).astype("float16") for shape in ((m, k), (n, k)))
    c = np.zeros((m, n), dtype)
    arguments = [TensorDescriptor.from_tensor(each, [*each_block]) for each, each_block in
                 ((a, (block[0], block[2])), (b, (block[1], block[2])), (c, (block[0], block[1] // 2)))]
    halves_kernel[(3,)](*arguments, m, n, k, COUNT=3, BM=block[0], BN=block[1], BK=block[2], num_warps=warps,
                        num_stages=3)
    assert same(c, (a.astype(np.float64) @ b.astype(np.float64).T).astype(dtype))


# --- reductions into memory ---------------------------------------------------------------------------
@tw.jit
def reduce_kernel(x, out, OP: tl.constexpr):
    block = x.load([tl.program_id(0) * 8, 0])
    if OP == "add":
        out.atomic_add([2, 4], block)
    elif OP == "min":
        out.atomic_min([2, 4], block)
    elif OP == "max":
        out.atomic_max([2, 4], block)
    elif OP == "and":
        out.atomic_and([2, 4], block)
    elif OP == "or":
        out.atomic_or([2, 4], block)
    else:
        out.atomic_xor([2, 4], block)


REDUCTIONS = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
              "xor": np.bitwise_xor}
REDUCED = {"add": ["uint32", "int32", "uint64", "float32", "float16", BF16],
           "min": ["uint32", "int32", "uint64", "int64", "float16", BF16],
           "and": ["uint32", "int32", "uint64", "int64"]}
REDUCED |= {"max": REDUCED["min"], "or": REDUCED["and"], "xor": REDUCED["and"]}


@pytest.mark.parametrize("op, dtype", [(op, dtype) for op, types in REDUCED.items() for dtype in types], ids=str)
def test_reductions(rng, op, dtype):
    dtype = np.dtype(dtype)
    if is_float(dtype):
        x, start = (rng.integers(-8, 9, shape).astype(dtype) for shape in ((80, 16), (8, 16)))
    else:
        x, start = some(rng, dtype, (80, 16)), some(rng, dtype, (8, 16))
    out = start.copy()
    arguments = [TensorDescriptor.from_tensor(each, [8, 16]) for each in (x, out)]
    reduce_kernel[(10,)](*arguments, OP=op)
    expected = start.copy()
    for block in x.reshape(10, 8, 16):
        expected[2:, 4:] = REDUCTIONS[op](expected[2:, 4:], block[:6, :12])
    assert same(out, expected)


# --- rows -------------------------------------------------------------------------------------------------
@tw.jit
def gather_kernel(desc, index, out, column, K: tl.constexpr, N: tl.constexpr):
    rows = tl.load(index + tl.arange(0, K))
    block = desc.gather(rows, column)
    i, j = tl.arange(0, K), tl.arange(0, N)
    tl.store(out + i[:, None] * N + j[None, :], block)


@tw.jit
def scatter_kernel(desc, index, x, column, K: tl.constexpr, N: tl.constexpr):
    rows = tl.load(index + tl.arange(0, K))
    i, j = tl.arange(0, K), tl.arange(0, N)
    desc.scatter(tl.load(x + i[:, None] * N + j[None, :]), rows, column)


@pytest.mark.parametrize("index", ["int16", "int32"])
@pytest.mark.parametrize("dtype", ["float16", BF16, "float32", "int8", "int64"], ids=str)
def test_gather(rng, dtype, index):
    x = some(rng, np.dtype(dtype), (50, 64))
    rows = rng.integers(-5, 60, 16).astype(index)
    for column in (0, 24, 50, -8):
        out = np.empty((16, 32), dtype)
        gather_kernel[(1,)](TensorDescriptor.from_tensor(x, [1, 32]), rows, out, column, K=16, N=32)
        expected = np.concatenate([padded(x, (int(row), column), (1, 32)) for row in rows])
        assert same(out, expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "uint8"])
def test_scatter(rng, dtype):
    out, x = some(rng, np.dtype(dtype), (50, 64)), some(rng, np.dtype(dtype), (16, 32))
    rows = rng.permutation(np.arange(-5, 60))[:16].astype(np.int32)
    expected = out.copy()
    for row, values in zip(rows, x, strict=True):
        if 0 <= row < 50:
            expected[row, 40:] = values[:24]
    scatter_kernel[(1,)](TensorDescriptor.from_tensor(out, [1, 32]), rows, x, 40, K=16, N=32)
    assert same(out, expected)


# --- parts of different lengths -----------------------------------------------------------------------------
@tw.jit
def ragged_kernel(source, target, starts, sizes, OP: tl.constexpr, BM: tl.constexpr):
    part = tl.program_id(0)
    start, size = tl.load(starts + part), tl.load(sizes + part)
    for i in range(0, size, BM):
        block = load_ragged(source, start, size, [i, 0])
        if OP == "store":
            store_ragged(target, start, size, [i, 0], block + 1)
        else:
            atomic_add_ragged(target, start, size, [i, 0], block)


@pytest.mark.parametrize("op", ["store", "add"])
def test_parts_of_different_lengths(rng, op):
    sizes = np.array([3, 0, 17, 8, 1], np.int32)
    starts = np.cumsum([0, *sizes[:-1]], dtype=np.int32)
    x = some(rng, np.dtype("float32"), (int(sizes.sum()) + 4, 16), special=False)
    out = np.full_like(x, 100)
    source, target = (create_ragged_descriptor(each, [8, 16]) for each in (x, out))
    ragged_kernel[(len(sizes),)](source, target, starts, sizes, OP=op, BM=8)
    expected = x + np.float32(1 if op == "store" else 100)
    expected[sizes.sum():] = 100
    assert same(out, expected)
