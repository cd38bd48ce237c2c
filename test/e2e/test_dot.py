"""Matrix products of all types and orders in memory, against numpy in f64."""

from fractions import Fraction
from math import floor, log2

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import BF16, is_float, same, some

FP8 = [np.dtype(getattr(ml_dtypes, name))
       for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")]


def is_number(dtype) -> bool:
    return is_float(dtype) or dtype in FP8


def operands(rng, dtype, *shapes):
    if is_number(dtype):
        return [rng.standard_normal(shape).astype(dtype) for shape in shapes]
    return [some(rng, dtype, shape) for shape in shapes]


def check(out, a, b, c=None, *, coarse=False):
    """Exact for integers; floats within the error of a sum in order, or of ``coarse`` sums in 14 bits."""
    exact_type = np.float64 if is_number(a.dtype) else np.int64
    wide_a, wide_b = a.astype(exact_type), b.astype(exact_type)
    exact = np.matmul(wide_a, wide_b) + (0 if c is None else c.astype(exact_type))
    if exact_type is np.int64:
        assert same(out, exact.astype(np.int32))
        return
    size = np.matmul(np.abs(wide_a), np.abs(wide_b)) + (0 if c is None else np.abs(c.astype(exact_type)))
    epsilon = max(float(ml_dtypes.finfo(out.dtype).eps), 2.0**-13 if coarse else 0)
    steps = a.shape[-1] if out.dtype.itemsize >= 4 else 4  # narrow results are summed in f32
    assert np.all(np.abs(out.astype(np.float64) - exact) <= (size + 1e-30) * epsilon * steps)


# --- any strides --------------------------------------------------------------------------------------
@tw.jit
def strided_kernel(a, b, c, M, N, K, a_m, a_k, b_k, b_n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32 if a.dtype.element_ty.is_int() else tl.float32)
    if a.dtype.element_ty == tl.float64:
        total = total.to(tl.float64)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        x = tl.load(a + m[:, None] * a_m + k[None, :] * a_k, mask=(m[:, None] < M) & (k[None, :] < K), other=0)
        y = tl.load(b + k[:, None] * b_k + n[None, :] * b_n, mask=(k[:, None] < K) & (n[None, :] < N), other=0)
        total = tl.dot(x, y, total, input_precision="ieee", out_dtype=total.dtype)
    tl.store(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


TYPES = [("float16", "float32"), (BF16, "float32"), ("float32", "float32"), ("float64", "float64"),
         ("int8", "int32"), ("uint8", "int32"), *((dtype, "float32") for dtype in FP8)]


@pytest.mark.parametrize("order", ["CC", "CF", "FC", "FF"])
@pytest.mark.parametrize("operand, result", TYPES, ids=str)
def test_strides_and_masks(rng, device, operand, result, order):
    operand = np.dtype(operand)
    if device in ("cuda", "scheduled") and "fnuz" in operand.name:
        pytest.skip("not a type of this target")
    for (M, N, K), block in (((40, 70, 50), (32, 64, 32)), ((17, 5, 33), (16, 16, 16)), ((65, 130, 7), (64, 128, 16))):
        a, b = operands(rng, operand, (M, K), (K, N))
        a, b = (np.array(x, order=how) for x, how in zip((a, b), order, strict=True))
        c = np.empty((M, N), result)
        strides = [stride // x.itemsize for x in (a, b) for stride in x.strides]
        flat_a, flat_b = (x.ravel(order="K") for x in (a, b))
        strided_kernel[(tw.cdiv(M, block[0]), tw.cdiv(N, block[1]))](
            flat_a, flat_b, c, M, N, K, *strides, BLOCK_M=block[0], BLOCK_N=block[1], BLOCK_K=block[2])
        check(c, a, b, coarse=device == "cuda" and operand in FP8)


# --- transposed blocks ----------------------------------------------------------------------------------
@tw.jit
def transposed_kernel(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, SCALE: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x, y = tl.load(a + k[:, None] * M + m[None, :]), tl.load(b + n[:, None] * K + k[None, :])
    if SCALE:
        y = (y * 2).to(y.dtype)
    product = tl.dot(tl.trans(x), tl.trans(y), input_precision="ieee")
    if SCALE:  # another use of the operand
        product += tl.sum(y.to(product.dtype), 1)[None, :]
    tl.store(out + m[:, None] * N + n[None, :], product)


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("dtype", ["float16", BF16, "float32", "int8"], ids=str)
def test_transposed(rng, dtype, scale):
    for M, N, K in ((16, 16, 16), (32, 64, 128), (128, 16, 32)):
        dtype = np.dtype(dtype)
        a, b = (rng.integers(-8, 9, shape).astype(dtype) for shape in ((K, M), (N, K)))
        out = np.empty((M, N), np.float32 if is_float(dtype) else np.int32)
        transposed_kernel[(1,)](a, b, out, M=M, N=N, K=K, SCALE=scale)
        wide_b = b.astype(np.int64) * (2 if scale else 1)
        expected = a.astype(np.int64).T @ wide_b.T
        if scale:
            expected += wide_b.sum(1)[None, :]
        assert same(out, expected.astype(out.dtype))


# --- batches, and products of products ---------------------------------------------------------------
@tw.jit
def batched_kernel(a, b, c, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                   TRANSPOSED: tl.constexpr):
    i, m = tl.arange(0, B)[:, None, None], tl.arange(0, M)[None, :, None]
    n, k = tl.arange(0, N)[None, None, :], tl.arange(0, K)
    x = tl.load(a + i * M * K + m * K + k[None, None, :])
    if TRANSPOSED:
        y = tl.load(b + i * K * N + tl.arange(0, N)[None, :, None] * K + k[None, None, :]).permute(0, 2, 1)
    else:
        y = tl.load(b + i * K * N + k[None, :, None] * N + n)
    places = i * M * N + m * N + n
    tl.store(out + places, tl.dot(x, y, tl.load(c + places), input_precision="ieee", out_dtype=out.dtype.element_ty))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("operand, result", [("float16", "float32"), ("float16", "float16"), ("float32", "float32"),
                                             ("int8", "int32")])
def test_batches(rng, operand, result, transposed):
    for B, M, N, K in ((2, 16, 16, 16), (4, 32, 16, 64)):
        a, b = operands(rng, np.dtype(operand), (B, M, K), (B, K, N))
        c = rng.integers(-4, 5, (B, M, N)).astype(result)
        out = np.empty_like(c)
        given = np.ascontiguousarray(b.transpose(0, 2, 1)) if transposed else b
        batched_kernel[(1,)](a, given, c, out, B=B, M=M, N=N, K=K, TRANSPOSED=transposed)
        check(out, a, b, c)


@tw.jit
def chain_kernel(q, k, v, out, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    x, y = tl.load(q + m[:, None] * D + d[None, :]), tl.load(k + n[:, None] * D + d[None, :])
    scores = tl.dot(x, y.T, input_precision="ieee")
    weights = tl.maximum(scores, 0.0)
    z = tl.load(v + n[:, None] * D + d[None, :])
    tl.store(out + m[:, None] * D + d[None, :], tl.dot(weights.to(z.dtype), z, input_precision="ieee"))


def test_products_of_products(rng):
    M, N, D = 32, 64, 16
    q, k, v = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((M, D), (N, D), (N, D)))
    out = np.empty((M, D), np.float32)
    chain_kernel[(1,)](q, k, v, out, M=M, N=N, D=D)
    assert same(out, np.maximum(q @ k.T, 0) @ v)


@pytest.mark.parametrize("warps", [1, 2, 4, 8, 12, 16])
@pytest.mark.parametrize("operand, result", [("float32", "float32"), ("float16", "float32"), ("int8", "int32")])
@pytest.mark.parametrize("size", [16, 32])
def test_few_elements_and_many_warps(rng, operand, result, size, warps):
    a, b = (rng.integers(-4, 5, (size, 3 * size)).astype(operand) for _ in range(2))
    c = np.empty((size, size), result)
    strided_kernel[(1, 1)](a, b, c, size, size, 3 * size, 3 * size, 1, 1, 3 * size, BLOCK_M=size, BLOCK_N=size,
                           BLOCK_K=size, num_warps=warps)
    assert same(c, (a.astype(np.float64) @ b.astype(np.float64).T).astype(result))


# --- weights of bytes and less, that the kernel widens ------------------------------------------------------
@tw.jit
def repeat(values):
    values = tl.interleave(values, values)
    values = tl.interleave(values, values)
    return tl.interleave(values, values)


@tw.jit
def weights_kernel(x, w, scales, zeros, y, M, N, K, w_k, w_n, FORM: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    wide: tl.constexpr = x.dtype.element_ty
    m, n, k = tl.arange(0, BLOCK_M), tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    words = tl.program_id(0) * (BLOCK_N // 8) + tl.arange(0, BLOCK_N // 8)
    shifts = (tl.arange(0, BLOCK_N) % 8 * 4)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = tl.load(x + m[:, None] * K + start + k[None, :], mask=m[:, None] < M, other=0)
        group = start // GROUP + tl.arange(0, 1)
        scale = tl.load(scales + group[:, None] * N + n[None, :], mask=n[None, :] < N, other=0)
        if FORM == "bytes":
            right = tl.load(w + (start + k)[:, None] * w_k + n[None, :] * w_n, mask=n[None, :] < N, other=0).to(wide)
        elif FORM == "pairs":
            pairs = start // 2 + tl.arange(0, BLOCK_K // 2)
            packed = tl.load(w + pairs[:, None] * w_k + n[None, :] * w_n, mask=n[None, :] < N, other=0)
            right = tl.join(packed & 15, packed >> 4).permute(0, 2, 1).reshape(BLOCK_K, BLOCK_N).to(wide)
        elif FORM == "rows":
            pairs = start // 2 + tl.arange(0, BLOCK_K // 2)
            packed = tl.load(w + n[:, None] * w_n + pairs[None, :] * w_k, mask=n[:, None] < N, other=0)
            right = tl.interleave((packed & 15).to(wide), (packed >> 4).to(wide)).T
        else:
            packed = repeat(tl.load(w + (start + k)[:, None] * w_k + words[None, :] * w_n,
                                    mask=words[None, :] < N // 8, other=0))
            zero = repeat(tl.load(zeros + group[:, None] * (N // 8) + words[None, :], mask=words[None, :] < N // 8,
                                  other=0))
            right = (((packed >> shifts) & 15) - ((zero >> shifts) & 15)).to(wide)
        total = tl.dot(left, right * scale, total)
    tl.store(y + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


def unpacked(words, bits, axis):
    """The numbers of ``bits`` in each word, which follow each other along ``axis``."""
    count = words.dtype.itemsize * 8 // bits
    parts = [(words.astype(np.int64) >> bits * i) & (1 << bits) - 1 for i in range(count)]
    stacked = np.stack(parts, axis=axis + 1)
    return stacked.reshape([size * (count if dim == axis else 1) for dim, size in enumerate(words.shape)])


@pytest.mark.parametrize("operand", ["float16", BF16], ids=str)
@pytest.mark.parametrize("form, k_first", [("bytes", False), ("bytes", True), ("pairs", False), ("pairs", True),
                                           ("rows", True), ("words", False)])
@pytest.mark.parametrize("block, warps, stages", [((16, 32, 64), 4, 3), ((16, 64, 32), 2, 4), ((64, 64, 64), 4, 3)],
                         ids=str)
def test_narrow_weights(rng, operand, form, k_first, block, warps, stages):
    M, N, K, group = block[0] - 3, 2 * block[1] - 8, 5 * block[2], 2 * block[2]
    x, exact = rng.integers(-4, 5, (M, K)).astype(operand), None
    zeros = rng.integers(-2**31, 2**31, (3, N // 8)).astype(np.int32)
    if form == "bytes":
        w = rng.integers(-128, 128, (K, N)).astype(np.int8)
        exact = w.astype(np.float64)
    elif form == "words":
        w = rng.integers(-2**31, 2**31, (K, N // 8)).astype(np.int32)
        exact = unpacked(w.view(np.uint32), 4, 1) - unpacked(zeros.view(np.uint32), 4, 1).repeat(group, 0)[:K]
    else:
        w = rng.integers(0, 256, (K // 2, N)).astype(np.uint8)
        exact = unpacked(w, 4, 0)
    scales = (2.0 ** rng.integers(-2, 2, (3, N))).astype(operand)
    stored = np.asfortranarray(w) if k_first else w
    steps = [stride // w.itemsize for stride in stored.strides]
    y = np.empty((M, N), np.float32)
    weights_kernel[(2,)](x, stored, scales, zeros, y, M, N, K, *steps, FORM=form, BLOCK_M=block[0], BLOCK_N=block[1],
                         BLOCK_K=block[2], GROUP=group, num_warps=warps, num_stages=stages)
    exact = x.astype(np.float64) @ (exact * scales.astype(np.float64).repeat(group, 0)[:K])
    assert same(y, exact.astype(np.float32))


# --- large blocks, and loops that follow each other ------------------------------------------------------
@tw.jit
def large_kernel(a, b, c, out, K, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                 ADD: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n, k = tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), out.dtype.element_ty)
    for start in range(0, K, BLOCK_K):
        x = tl.load(a + m[:, None] * K + start + k[None, :])
        y = tl.load(b + n[None, :] * K + start + k[:, None])
        total = tl.dot(x, y, total, out_dtype=out.dtype.element_ty)
    at = m[:, None] * N + n[None, :]
    if ADD:
        total += tl.load(c + at, mask=n[None, :] < N, other=0)
    tl.store(out + at, total, mask=n[None, :] < N)


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("operand, result", [("float16", "float32"), ("int8", "int32")])
def test_large_blocks(rng, operand, result, add):
    M, N, K, block_k = 256, 250, 256, 128 // np.dtype(operand).itemsize
    a, b = (rng.integers(-4, 5, shape).astype(operand) for shape in ((M, K), (256, K)))
    c, out = rng.integers(-4, 5, (M, N)).astype(result), np.empty((M, N), result)
    large_kernel[(2,)](a, b, c, out, K, N, BLOCK_M=128, BLOCK_N=256, BLOCK_K=block_k, ADD=add, num_warps=8,
                       num_stages=3)
    expected = a.astype(np.int64) @ b[:N].astype(np.int64).T + (c.astype(np.int64) if add else 0)
    assert same(out, expected.astype(result))


@tw.jit
def loops_kernel(x, y, out, first, N, SIDE: tl.constexpr, DEPTH: tl.constexpr, APART: tl.constexpr):
    m, d = tl.arange(0, SIDE), tl.arange(0, DEPTH)
    left = tl.load(x + m[:, None] * DEPTH + d[None, :])
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for n in range(0, first, SIDE):
        total += tl.dot(left, tl.load(y + (n + m)[None, :] * DEPTH + d[:, None]))
    if APART:
        tl.store(out + m[:, None] * SIDE + m[None, :], total)
        total = tl.zeros((SIDE, SIDE), tl.float32)
    for n in range(first, N, SIDE):
        total += tl.dot(left, tl.load(y + (n + m)[None, :] * DEPTH + d[:, None])) * 2
    if APART:
        total -= tl.load(out + m[:, None] * SIDE + m[None, :])
    tl.store(out + m[:, None] * SIDE + m[None, :], total)


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("side, depth, warps, stages", [(128, 256, 8, 2), (128, 256, 4, 2), (64, 128, 4, 4)])
def test_loops_in_turn(rng, side, depth, warps, stages, apart):
    for first, count in ((0, 2), (1, 1), (2, 5)):
        x, y = (rng.integers(-4, 5, (rows, depth)).astype(np.float16) for rows in (side, count * side))
        out = np.empty((side, side), np.float32)
        loops_kernel[(1,)](x, y, out, first * side, count * side, SIDE=side, DEPTH=depth, APART=apart, num_warps=warps,
                           num_stages=stages)
        parts = (x.astype(np.float32) @ y.astype(np.float32).T).reshape(side, count, side)
        early, late = parts[:, :first].sum(1), 2 * parts[:, first:].sum(1)
        assert same(out, late - early if apart else late + early)


@tw.jit
def halves_kernel(a, b, c, K, a_m, a_k, b_k, b_n, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr,
                  LOADED: tl.constexpr, MOST: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK_K)
    total = tl.zeros((M, N), tl.float16)
    for start in range(0, K, BLOCK_K):
        x = tl.load(a + m[:, None] * a_m + (start + k)[None, :] * a_k)
        y = tl.load(b + (start + k)[:, None] * b_k + n[None, :] * b_n)
        if not LOADED:
            x = (x.to(tl.float32) * 2).to(x.dtype)
        total = tl.dot(x, y, total, max_num_imprecise_acc=MOST, out_dtype=tl.float16)
    tl.store(c + m[:, None] * N + n[None, :], total)


@pytest.mark.parametrize("order", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("dtype", ["float16", FP8[0], FP8[1]], ids=str)
def test_sums_of_halves(rng, admits, dtype, loaded, order):
    """Numbers of few bits: all sums are exact in fp16."""
    dtype = np.dtype(dtype)
    if dtype in FP8 and not admits(tl.float8e4nv):
        pytest.skip("there are no 8-bit floats")
    for (M, N, block_k, warps), loops in zip(((64, 128, 64, 4), (128, 64, 128, 8), (64, 64, 64, 8), (16, 32, 32, 4)),
                                             (3, 2, 1, 4), strict=True):
        a, b = (rng.integers(-2, 3, shape).astype(np.float32) for shape in ((M, loops * block_k), (loops * block_k, N)))
        x, y = (np.asarray(each, order="CF"[way == "t"]).astype(dtype, order="K")
                for each, way in zip((a, b), order, strict=True))
        c = np.empty((M, N), np.float16)
        for most in (0, 32) if dtype in FP8 else (0,):
            steps = [step // x.itemsize for step in (*x.strides, *y.strides)]
            halves_kernel[(1,)](x, y, c, loops * block_k, *steps, M=M, N=N, BLOCK_K=block_k, LOADED=loaded,
                                MOST=most, num_warps=warps, num_stages=3)
            assert same(c, ((a if loaded else 2 * a) @ b).astype(np.float16))


@tw.jit
def halves_chain_kernel(q, k, v, out, N, M: tl.constexpr, BLOCK: tl.constexpr, D: tl.constexpr):
    m, n, d = tl.arange(0, M), tl.arange(0, BLOCK), tl.arange(0, D)
    x = tl.load(q + m[:, None] * D + d[None, :])
    total = tl.zeros((M, D), tl.float16)
    for start in range(0, N, BLOCK):
        y = tl.load(k + (start + n)[None, :] * D + d[:, None])
        scores = tl.maximum(tl.dot(x, y, out_dtype=tl.float16), 0.0).to(tl.float16)
        total = tl.dot(scores, tl.load(v + (start + n)[:, None] * D + d[None, :]), total)
    tl.store(out + m[:, None] * D + d[None, :], total)


@pytest.mark.parametrize("warps, stages", [(4, 1), (4, 2), (8, 3)])
def test_products_of_sums_of_halves(rng, warps, stages):
    M, N, D = 16 * warps, 256, 64
    q, k, v = (rng.integers(-1, 2, shape).astype(np.float16) for shape in ((M, D), (N, D), (N, D)))
    out = np.empty((M, D), np.float16)
    halves_chain_kernel[(1,)](q, k, v, out, N, M=M, BLOCK=64, D=D, num_warps=warps, num_stages=stages)
    assert same(out, (np.maximum(q.astype(np.float32) @ k.astype(np.float32).T, 0) @ v).astype(np.float16))


# --- special values -----------------------------------------------------------------------------------
@pytest.mark.parametrize("operand, result", [("float16", "float32"), (BF16, "float32"), ("float32", "float32"),
                                             ("float64", "float64")], ids=str)
def test_nan_and_infinity(rng, operand, result):
    a, b = operands(rng, np.dtype(operand), (16, 16), (16, 16))
    a[3, 4], a[5, 6], b[2, 7], b[9, 8] = np.nan, np.inf, -np.inf, np.nan
    c = np.empty((16, 16), result)
    strided_kernel[(1, 1)](a, b, c, 16, 16, 16, 16, 1, 16, 1, BLOCK_M=16, BLOCK_N=16, BLOCK_K=16)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    finite = np.isfinite(expected)
    assert same(c[~finite].astype(np.float64), expected[~finite])
    assert np.allclose(c[finite], expected[finite], rtol=1e-4, atol=1e-4)


# --- fused products of narrow floats --------------------------------------------------------------------
@tw.jit
def fma_kernel(x, y, z, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    result = tl.fma(tl.load(x + i, mask=mask), tl.load(y + i, mask=mask), tl.load(z + i, mask=mask))
    tl.store(out + i, result, mask=mask)


def round_to_even(value: Fraction, digits: int) -> Fraction:
    """The nearest number of so many binary digits, of two the even one."""
    exponent = floor(log2(abs(value))) + 1 - digits
    scaled = value / Fraction(2) ** exponent
    return round(scaled) * Fraction(2) ** exponent  # Python rounds to even


@pytest.mark.parametrize("dtype, digits", [("float16", 11), (BF16, 8)], ids=str)
def test_narrow_fma_rounds_once(rng, dtype, digits):
    """Sums a hair from the middle of two numbers: rounding them to f32 or f64 first would give the wrong one."""
    dtype, size, steps = np.dtype(dtype), 4000, 2 ** (digits - 1)
    x, y = ((1 + rng.integers(0, steps, size) / steps).astype(dtype) for _ in range(2))
    z = rng.choice([-1, 1], size) * 2.0 ** rng.integers(-60 if dtype == BF16 else -14, -8, size)
    z = z.astype(dtype)
    out = np.empty_like(x)
    fma_kernel[(tw.cdiv(size, 512),)](x, y, z, out, size, BLOCK=512)
    for a, b, c, result in zip(x, y, z, out, strict=True):
        exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        assert Fraction(float(result)) == round_to_even(exact, digits), (a, b, c)
