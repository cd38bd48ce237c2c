"""Operands by pointers whose rows lie at regular distances: copied as whole blocks where all of a block is there.

Sizes that do not divide blocks, rows that wrap around, strides that no such copy knows: the same values always.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

BLOCKS = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "num_warps": 8}


@tw.jit
def store_sums(c, total, M, N):
    """The program's block of c, in f32."""
    m = tl.program_id(0) * total.shape[0] + tl.arange(0, total.shape[0])
    n = tl.program_id(1) * total.shape[1] + tl.arange(0, total.shape[1])
    tl.store(c + m[:, None] * N + n[None, :], total.to(tl.float32), mask=(m[:, None] < M) & (n[None, :] < N))


@tw.jit
def wrapped_kernel(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SUMS: tl.constexpr = tl.float32):
    """Rows and columns behind the ends are the first ones; pointers advance."""
    rows = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    columns = (tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    inner = tl.arange(0, BLOCK_K)
    a_ptrs = a + rows[:, None] * stride_am + inner[None, :] * stride_ak
    b_ptrs = b + inner[:, None] * stride_bk + columns[None, :] * stride_bn
    total = tl.zeros((BLOCK_M, BLOCK_N), SUMS)
    for k in tl.range(0, tl.cdiv(K, BLOCK_K), warp_specialize=True):
        x = tl.load(a_ptrs, mask=inner[None, :] < K - k * BLOCK_K, other=0)
        y = tl.load(b_ptrs, mask=inner[:, None] < K - k * BLOCK_K, other=0)
        total = tl.dot(x, y, total)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    store_sums(c, total, M, N)


@tw.jit
def masked_kernel(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SUMS: tl.constexpr = tl.float32):
    """Everything is masked; places are computed anew from the step, in 64 bits those of a."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), SUMS)
    for k in tl.range(0, K, BLOCK_K, warp_specialize=True):
        inner = k + tl.arange(0, BLOCK_K)
        x = tl.load(a + m.to(tl.int64)[:, None] * stride_am + inner[None, :] * stride_ak,
                    mask=(m[:, None] < M) & (inner[None, :] < K), other=0)
        y = tl.load(b + inner[:, None] * stride_bk + n[None, :] * stride_bn,
                    mask=(inner[:, None] < K) & (n[None, :] < N), other=0)
        total = tl.dot(x, y, total)
    store_sums(c, total, M, N)


@tw.jit
def chosen_kernel(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Rows and columns behind the ends are the first one, with promises that hold where they are inside."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rows = tl.max_contiguous(tl.multiple_of(tl.where(m < M, m, 0), BLOCK_M), BLOCK_M)
    columns = tl.max_contiguous(tl.multiple_of(tl.where(n < N, n, 0), BLOCK_N), BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in tl.range(0, tl.cdiv(K, BLOCK_K), warp_specialize=True):
        inner = k * BLOCK_K + tl.arange(0, BLOCK_K)
        x = tl.load(a + rows[:, None] * stride_am + inner[None, :] * stride_ak, mask=inner[None, :] < K, other=0.0)
        y = tl.load(b + inner[:, None] * stride_bk + columns[None, :] * stride_bn, mask=inner[:, None] < K, other=0.0)
        total = tl.dot(x, y, total)
    store_sums(c, total, M, N)


def layout(array: np.ndarray, transposed: bool, padding: int) -> np.ndarray:
    """The same elements, in columns or rows with some room behind each."""
    source = array.T if transposed else array
    room = np.full((source.shape[0], source.shape[1] + padding), np.nan, array.dtype)
    view = room[:, :source.shape[1]]
    view[...] = source
    return view.T if transposed else view


def multiply(kernel, a, b, stages, **options):
    (M, K), N = a.shape, b.shape[1]
    c = np.full((M, N), 77, np.float32)
    steps = [stride // array.itemsize for array in (a, b) for stride in array.strides]
    grid = (tw.cdiv(M, options["BLOCK_M"]), tw.cdiv(N, options["BLOCK_N"]))
    kernel[grid](a, b, c, M, N, K, *steps, num_stages=stages, **options)
    return c


@tw.jit
def twice_kernel(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, BLOCK_M: tl.constexpr,
                 BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Two loops share buffers: of blocks that are there, and of what is left; the second reads a whole block less."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    whole = K // BLOCK_K * BLOCK_K
    inner = tl.arange(0, BLOCK_K)
    for k in tl.range(0, whole, BLOCK_K, warp_specialize=True):
        x = tl.load(a + (m % M)[:, None] * stride_am + (k + inner)[None, :] * stride_ak)
        y = tl.load(b + (k + inner)[:, None] * stride_bk + (n % N)[None, :] * stride_bn)
        total = tl.dot(x, y, total)
    for k in tl.range(whole, K, BLOCK_K, warp_specialize=True):
        x = tl.load(a + (m % M)[:, None] * stride_am + (k + inner)[None, :] * stride_ak,
                    mask=(k + inner)[None, :] < K, other=0.0)
        y = tl.load(b + (k + inner)[:, None] * stride_bk + (n % N)[None, :] * stride_bn,
                    mask=(k + inner)[:, None] < K, other=0.0)
        total = tl.dot(x, y, total)
    store_sums(c, total, M, N)


KERNELS = {"wrapped": wrapped_kernel, "masked": masked_kernel, "chosen": chosen_kernel, "twice": twice_kernel}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("turned", ["", "a", "b", "ab"])
@pytest.mark.parametrize("size", [(256, 256, 256), (176, 208, 144), (16, 144, 80)], ids=str)
def test_products(kernel, turned, size):
    random = np.random.default_rng()
    (M, N, K), padding = size, 16
    if kernel == "chosen":  # its promises hold of whole blocks
        M, N = tw.cdiv(M, 128) * 128, tw.cdiv(N, 128) * 128
    a = layout(random.standard_normal((M, K)).astype(np.float16), "a" in turned, padding)
    b = layout(random.standard_normal((K, N)).astype(np.float16), "b" in turned, padding)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    for stages in (2, 3):
        c = multiply(KERNELS[kernel], a, b, stages, **BLOCKS)
        np.testing.assert_allclose(c, expected, atol=2e-3 * K ** 0.5)


@pytest.mark.parametrize("kernel", ["wrapped", "masked"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "int8", "float8_e4m3fn", "float8_e5m2"])
def test_types(kernel, dtype, admits):
    if dtype == "float8_e4m3fn" and not admits(tl.float8e4nv):
        pytest.skip("a type that the target does not have")
    random = np.random.default_rng()
    a, b = (random.integers(-3, 4, shape) for shape in ((144, 208), (256, 208)))  # sums are exact in all types
    typed = np.dtype(getattr(ml_dtypes, dtype, dtype))
    sums = tl.int32 if dtype == "int8" else tl.float32
    c = multiply(KERNELS[kernel], a.astype(typed), b.astype(typed).T, 3, **BLOCKS, SUMS=sums)
    np.testing.assert_array_equal(c, a @ b.T)


@pytest.mark.parametrize("kernel", ["wrapped", "masked", "twice"])
def test_strides_that_copies_do_not_know(kernel):
    """Of zero, and below."""
    random = np.random.default_rng()
    M, N, K = 256, 128, 192
    b = random.standard_normal((K, N)).astype(np.float16)
    rows = random.standard_normal((M, K)).astype(np.float16)
    for a in (rows[::-1], np.broadcast_to(rows[3], (M, K))):
        c = multiply(KERNELS[kernel], a, b, 3, **BLOCKS)
        np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), atol=2e-3 * K ** 0.5)


@pytest.mark.parametrize("kernel", KERNELS)
def test_iterations(kernel):
    """None, one, and as many as there are buffers or one more."""
    random = np.random.default_rng()
    for count in (0, 1, 2, 3, 4):
        for left in (0, 16):
            K = 64 * count + left
            a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((128, K), (K, 128)))
            c = multiply(KERNELS[kernel], a, b, 3, **BLOCKS)
            np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), atol=2e-3 * (K + 1) ** 0.5)


@pytest.mark.parametrize("block", [(128, 256, 64, 8), (64, 64, 32, 4), (128, 128, 32, 4), (64, 128, 128, 8)], ids=str)
@pytest.mark.parametrize("stages", [1, 2, 4, 5])
def test_blocks(block, stages):
    random = np.random.default_rng()
    M, N, K = 300, 272, 304
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((M, K), (K, N)))
    options = dict(zip(BLOCKS, block, strict=True))
    try:
        c = multiply(wrapped_kernel, a, b, stages, **options)
    except tw.OutOfResources:
        pytest.skip("more on-chip memory than there is")
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), atol=2e-3 * K ** 0.5)


@tw.jit
def gathered_too_kernel(a, b, table, c, K, stride_am, stride_bk, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                        BLOCK_K: tl.constexpr):
    """a @ b and a[table] @ b, in loops that share buffers, in either order."""
    rows, columns, inner = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    chosen = tl.load(table + rows)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(2):
        for k in tl.range(0, K, BLOCK_K, warp_specialize=True):
            x = tl.load(a + rows[:, None] * stride_am + (k + inner)[None, :])
            y = tl.load(b + (k + inner)[:, None] * stride_bk + columns[None, :])
            total = tl.dot(x, y, total)
        for k in tl.range(0, K, BLOCK_K, warp_specialize=True):
            x = tl.load(a + chosen[:, None] * stride_am + (k + inner)[None, :])
            y = tl.load(b + (k + inner)[:, None] * stride_bk + columns[None, :])
            total = tl.dot(x, y, total)
    tl.store(c + rows[:, None] * BLOCK_N + columns[None, :], total)


@pytest.mark.parametrize("K", [0, 128, 384])
def test_beside_loops_that_only_threads_copy_for(K):
    random = np.random.default_rng()
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((128, K), (K, 128)))
    table, c = random.permutation(128).astype(np.int32), np.full((128, 128), 77, np.float32)
    gathered_too_kernel[(1,)](a, b, table, c, K, max(K, 16), 128, **BLOCKS)
    wide = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(c, 2 * (wide + wide[table]), atol=0.2)


@tw.jit
def turned_kernel(a, b, c, M, K, step, stride, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Rows of a from its end, or its beginning, on; they wrap around."""
    rows = ((tl.arange(0, BLOCK_M) * step) % M).to(tl.int64)
    columns = tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in tl.range(0, K, BLOCK_K, warp_specialize=True):
        inner = k + tl.arange(0, BLOCK_K)
        x = tl.load(a + rows[:, None] * stride + inner[None, :])
        y = tl.load(b + inner[:, None] * BLOCK_N + columns[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + tl.arange(0, BLOCK_M)[:, None] * BLOCK_N + columns[None, :], total)


@pytest.mark.parametrize("step", [-1, 1, 3])
@pytest.mark.parametrize("rows", [64, 500])
def test_rows_in_steps_of_either_sign(step, rows):
    random = np.random.default_rng()
    K = 256
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((rows, K), (K, 128)))
    c = np.full((128, 128), 77, np.float32)
    turned_kernel[(1,)](a, b, c, rows, K, step, K if step > 0 else -K, **BLOCKS)
    chosen = np.abs(np.fmod(np.arange(128) * step, rows))
    np.testing.assert_allclose(c, a[chosen].astype(np.float64) @ b.astype(np.float64), atol=0.05)


@tw.jit
def overflowing_kernel(a, b, c, first, limit, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                       CHOOSE: tl.constexpr):
    """Numbers that a mask, or a choice, compares overflow 32 bits on the way."""
    numbers, columns = first + tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N)
    rows = tl.where(numbers < limit, tl.arange(0, BLOCK_M), 0) if CHOOSE else tl.arange(0, BLOCK_M)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in tl.range(0, K, BLOCK_K, warp_specialize=True):
        inner = k + tl.arange(0, BLOCK_K)
        x = tl.load(a + rows[:, None] * K + inner[None, :], mask=(numbers < limit)[:, None] | CHOOSE, other=0.0)
        y = tl.load(b + inner[:, None] * BLOCK_N + columns[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + tl.arange(0, BLOCK_M)[:, None] * BLOCK_N + columns[None, :], total)


@pytest.mark.parametrize("chooses", [False, True])
def test_numbers_that_overflow(chooses):
    random = np.random.default_rng()
    K = 128
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((128, K), (K, 128)))
    c = np.full((128, 128), 77, np.float32)
    overflowing_kernel[(1,)](a, b, c, 2**31 - 64, 1000, K, CHOOSE=chooses, **BLOCKS)
    read = a.astype(np.float64)
    read[:64] = read[0] if chooses else 0.0
    np.testing.assert_allclose(c, read @ b.astype(np.float64), atol=0.05)
