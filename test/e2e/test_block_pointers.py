"""Block pointers: shapes, strides, orders, boundaries, loops."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import BF16, FLOATS, INTEGERS, is_float, same, some

TYPES = [*INTEGERS, *FLOATS]


@tw.jit
def copy_kernel(x, out, m, n, stride_x, stride_out, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.program_id(0), tl.program_id(1)
    source = tl.make_block_ptr(base=x, shape=(m, n), strides=(stride_x, 1), offsets=(i * BM, j * BN),
                               block_shape=(BM, BN), order=(1, 0))
    target = tl.make_block_ptr(out, (m, n), (stride_out, 1), (i * BM, j * BN), (BM, BN), (1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1), padding_option="zero"), boundary_check=(0, 1))


@pytest.mark.parametrize("shape", [(1, 1), (33, 70), (64, 128)])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_copy(rng, dtype, shape):
    x, out = some(rng, dtype, shape), np.zeros(shape, dtype)
    copy_kernel[(tw.cdiv(shape[0], 16), tw.cdiv(shape[1], 32))](x, out, *shape, shape[1], shape[1], BM=16, BN=32)
    assert same(out, x)


@tw.jit
def padding_kernel(x, out, m, n, i, j, PADDING: tl.constexpr):
    source = tl.make_block_ptr(x, (m, n), (n, 1), (i, j), (16, 32), (1, 0))
    block = tl.load(source, boundary_check=(1, 0), padding_option=PADDING)
    rows, columns = tl.arange(0, 16), tl.arange(0, 32)
    tl.store(out + rows[:, None] * 32 + columns[None, :], block)


@pytest.mark.parametrize("offsets", [(0, 0), (-3, -5), (30, 60), (100, 0)])
@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype("int16")], ids=str)
def test_padding(rng, dtype, offsets):
    x = some(rng, dtype, (37, 61))
    for padding in ["", "zero"] + ["nan"] * is_float(dtype):
        out = np.empty((16, 32), dtype)
        padding_kernel[(1,)](x, out, 37, 61, *offsets, PADDING=padding)
        expected = np.full((16, 32), np.nan if padding == "nan" else 0).astype(dtype)
        for i in range(16):
            for j in range(32):
                if 0 <= i + offsets[0] < 37 and 0 <= j + offsets[1] < 61:
                    expected[i, j] = x[i + offsets[0], j + offsets[1]]
        assert same(out, expected)


@tw.jit
def transposed_kernel(x, out, m, n):
    source = tl.make_block_ptr(x, (n, m), (1, n), (0, tl.program_id(0) * 16), (64, 16), (0, 1))
    target = tl.make_block_ptr(out, (n, m), (m, 1), (0, tl.program_id(0) * 16), (64, 16), (1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1)), boundary_check=[0, 1])


def test_another_order(rng):
    x, out = some(rng, np.dtype("float32"), (45, 50)), np.zeros((50, 45), np.float32)
    transposed_kernel[(3,)](x, out, 45, 50)
    assert same(out, x.T)


@tw.jit
def line_kernel(x, out, n, BLOCK: tl.constexpr):
    source = tl.make_block_ptr(x, (n,), (1,), (0,), (BLOCK,), (0,))
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(0, n, BLOCK):
        total += tl.load(source, boundary_check=(0,))
        source = tl.advance(source, (BLOCK,))
    tl.store(out, tl.sum(total, 0))


def test_one_dimension_in_a_loop(rng):
    x, out = rng.integers(-50, 50, 1000).astype(np.float32), np.zeros(1, np.float32)
    line_kernel[(1,)](x, out, 1000, BLOCK=128)
    assert out[0] == x.sum()


@tw.jit
def matmul_kernel(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    a_ptr = tl.make_block_ptr(a, (M, K), (stride_am, stride_ak), (pid_m * BM, 0), (BM, BK), (1, 0))
    b_ptr = tl.make_block_ptr(b, (K, N), (stride_bk, stride_bn), (0, pid_n * BN), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        acc += tl.dot(tl.load(a_ptr, boundary_check=(0, 1)), tl.load(b_ptr, boundary_check=(0, 1)))
        a_ptr = tl.advance(a_ptr, (0, BK))
        b_ptr = tl.advance(b_ptr, [BK, 0])
    c_ptr = tl.make_block_ptr(c, (M, N), (stride_cm, stride_cn), (pid_m * BM, pid_n * BN), (BM, BN), (1, 0))
    tl.store(c_ptr, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


@pytest.mark.parametrize("dtype", ["float16", BF16, "float32"], ids=str)
def test_matmul(rng, dtype):
    m, n, k = 70, 90, 110
    a, b = (rng.standard_normal(shape).astype(dtype) for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), dtype)
    matmul_kernel[(3, 3)](a, b, c, m, n, k, k, 1, n, 1, n, 1, BM=32, BN=32, BK=32)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(c.astype(np.float64), exact, rtol=2e-2, atol=5e-2)


@tw.jit
def move(pointer, step):
    return tl.advance(pointer, (step, 0))


@tw.jit
def branch_kernel(x, out, flag):
    pointer = tl.make_block_ptr(x, (32, 16), (16, 1), (0, 0), (8, 16), (1, 0))
    if flag > 0:
        pointer = move(pointer, 8)
    else:
        pointer = move(pointer, 16)
    tl.store(tl.make_block_ptr(out, (8, 16), (16, 1), (0, 0), (8, 16), (1, 0)), tl.load(pointer))


@pytest.mark.parametrize("flag", [0, 1])
def test_branches_and_functions(rng, flag):
    x, out = some(rng, np.dtype("int32"), (32, 16)), np.zeros((8, 16), np.int32)
    branch_kernel[(1,)](x, out, flag)
    assert same(out, x[8:16] if flag else x[16:24])


@tw.jit
def wide_kernel(x, out, m, n):
    pointer = tl.make_block_ptr(x, (m.to(tl.int64), n), (n.to(tl.int64), 1), (0, 0), (8, 16), (1, 0))
    target = tl.make_block_ptr(out, (8, 16), (16, 1), (0, 0), (8, 16), (1, 0))
    tl.store(target, 3)
    tl.store(target, tl.load(pointer, boundary_check=(0,)))


def test_sizes_of_64_bits_and_numbers(rng):
    x, out = some(rng, np.dtype("float32"), (5, 16)), np.zeros((8, 16), np.float32)
    wide_kernel[(1,)](x, out, 5, 16)
    assert same(out, np.pad(x, ((0, 3), (0, 0))))
