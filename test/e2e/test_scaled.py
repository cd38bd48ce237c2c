"""Products of scaled blocks against numpy in double precision."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

FORMATS = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2, "bf16": ml_dtypes.bfloat16,
           "fp16": np.float16}


@tw.jit
def block(p, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    return tl.load(p + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])


@tw.jit
def scaled_kernel(a, a_scale, b, b_scale, c, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                  A: tl.constexpr, B: tl.constexpr, A_ROWS: tl.constexpr, A_COLUMNS: tl.constexpr,
                  B_ROWS: tl.constexpr, B_COLUMNS: tl.constexpr, GROUP: tl.constexpr, A_PACK: tl.constexpr,
                  B_PACK: tl.constexpr, FAST: tl.constexpr, OUT: tl.constexpr):
    x, y = block(a, A_ROWS, A_COLUMNS), block(b, B_ROWS, B_COLUMNS)
    if A == "e4m3":
        x = x.to(tl.float8e4nv, bitcast=True)
    x_scale, y_scale = a_scale, b_scale
    if a_scale is not None:
        x_scale = block(a_scale, M, K // GROUP)
        if GROUP == 16:
            x_scale = x_scale.to(tl.float8e4nv, bitcast=True)
    if b_scale is not None:
        y_scale = block(b_scale, N, K // GROUP)
        if GROUP == 16:
            y_scale = y_scale.to(tl.float8e4nv, bitcast=True)
    acc = c
    if c is not None:
        acc = block(c, M, N)
    r = tl.dot_scaled(x, x_scale, A, y, y_scale, B, acc=acc, fast_math=FAST, lhs_k_pack=A_PACK, rhs_k_pack=B_PACK,
                      out_dtype=OUT)
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], r)


def pack_nibbles(codes, axis):
    """Two neighbours along an axis into a byte, the first one low."""
    codes = np.moveaxis(codes, axis, -1)
    return np.ascontiguousarray(np.moveaxis(codes[..., ::2] | codes[..., 1::2] << 4, -1, axis))


def operand(rng, format, shape, axis):
    """What a kernel is given, and the values that it stands for."""
    if format == "e2m1":
        codes = rng.integers(0, 16, shape).astype(np.uint8)
        return pack_nibbles(codes, axis), codes.view(ml_dtypes.float4_e2m1fn).astype(np.float64)
    values = rng.standard_normal(shape).astype(FORMATS[format])
    exact = values.astype(np.float64)
    return (values.view(np.uint8) if values.dtype.itemsize == 1 else values), exact


def scales(rng, rows, inner, group):
    """Scales as bytes, and what they stand for, for each element."""
    if group == 32:
        codes = rng.integers(120, 134, (rows, inner // 32)).astype(np.uint8)
        values = np.ldexp(1.0, codes.astype(np.int32) - 127)
    else:
        floats = rng.uniform(0.25, 4, (rows, inner // 16)).astype(ml_dtypes.float8_e4m3fn)
        codes, values = floats.view(np.uint8), floats.astype(np.float64)
    return codes, np.repeat(values, group, 1)


def multiply(rng, a_format, b_format, group=32, scaled=(True, True), packs=(True, True), acc=False, fast=False,
             out_dtype="float32", shape=(32, 16, 64), spoil=None):
    m, n, k = shape
    a, a_exact = operand(rng, a_format, (m, k), 1 if packs[0] else 0)
    b, b_exact = operand(rng, b_format, (k, n), 0 if packs[1] else 1)
    a_codes, a_values = scales(rng, m, k, group)
    b_codes, b_values = scales(rng, n, k, group)
    if spoil is not None:
        spoil(a_codes, b_codes)
    dtype = np.dtype(ml_dtypes.bfloat16 if out_dtype == "bfloat16" else out_dtype)
    c = rng.standard_normal((m, n)).astype(dtype) if acc else None
    out = np.empty((m, n), dtype)
    scaled_kernel[(1,)](
        a, a_codes if scaled[0] else None, b, b_codes if scaled[1] else None, c, out, M=m, N=n, K=k, A=a_format,
        B=b_format, A_ROWS=a.shape[0], A_COLUMNS=a.shape[1], B_ROWS=b.shape[0], B_COLUMNS=b.shape[1], GROUP=group,
        A_PACK=packs[0], B_PACK=packs[1], FAST=fast, OUT=getattr(tl, out_dtype))
    left, right = a_exact * (a_values if scaled[0] else 1), b_exact * (b_values.T if scaled[1] else 1)
    exact = left @ right + (0 if c is None else c.astype(np.float64))
    return out.astype(np.float64), exact, np.abs(left) @ np.abs(right)


def check(result, exact, size, unit=2.0 ** -8):
    """Elements are rounded to bf16 at worst."""
    assert np.all(np.abs(result - exact) <= 3 * unit * (size + np.abs(exact)) + 1e-6)


@pytest.mark.parametrize("a_format", ["e2m1", *FORMATS])
@pytest.mark.parametrize("b_format", ["e2m1", *FORMATS])
def test_formats(rng, a_format, b_format):
    check(*multiply(rng, a_format, b_format))


@pytest.mark.parametrize("scaled", [(True, False), (False, True), (False, False)])
@pytest.mark.parametrize("formats", [("e2m1", "e4m3"), ("bf16", "e2m1"), ("e5m2", "fp16")])
def test_a_scale_may_be_missing(rng, formats, scaled):
    check(*multiply(rng, *formats, scaled=scaled))


@pytest.mark.parametrize("packs", [(False, True), (True, False), (False, False)])
def test_pairs_along_the_outer_dimensions(rng, packs):
    check(*multiply(rng, "e2m1", "e2m1", packs=packs), unit=2.0 ** -20)


def test_small_formats_are_exact(rng):
    check(*multiply(rng, "e2m1", "e2m1", group=16), unit=2.0 ** -20)


@pytest.mark.parametrize("out_dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("acc", [False, True])
def test_accumulators(rng, out_dtype, acc):
    check(*multiply(rng, "e4m3", "e2m1", scaled=(False, False), acc=acc, out_dtype=out_dtype))


def test_the_scale_255_is_nan(rng):
    def spoil(a_codes, b_codes):
        a_codes[3, 0] = b_codes[5, 1] = 255

    result, exact, size = multiply(rng, "e4m3", "e5m2", spoil=spoil)
    bad = np.zeros(result.shape, bool)
    bad[3], bad[:, 5] = True, True
    assert np.all(np.isnan(result[bad])) and not np.any(np.isnan(result[~bad]))
    check(result[~bad], exact[~bad], size[~bad])


def test_fast_math_gives_the_same_for_numbers(rng):
    check(*multiply(rng, "e4m3", "e2m1", fast=True))


@pytest.mark.parametrize("small,large", [(3, 250), (0, 240)])
def test_small_and_large_scales(rng, small, large):
    m, n, k = 16, 16, 32
    a, a_exact = operand(rng, "e2m1", (m, k), 1)
    b, b_exact = operand(rng, "e2m1", (k, n), 0)
    codes = np.full((m, 1), small, np.uint8), np.full((n, 1), large, np.uint8)
    out = np.empty((m, n), np.float32)
    scaled_kernel[(1,)](a, codes[0], b, codes[1], None, out, M=m, N=n, K=k, A="e2m1", B="e2m1", A_ROWS=m,
                        A_COLUMNS=k // 2, B_ROWS=k // 2, B_COLUMNS=n, GROUP=32, A_PACK=True, B_PACK=True, FAST=False,
                        OUT=tl.float32)
    np.testing.assert_allclose(out, np.ldexp(a_exact @ b_exact, small + large - 254), rtol=1e-5, atol=1e-12)
