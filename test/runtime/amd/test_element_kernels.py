"""Moves of elements, code for each of them, and blocks of any size, on AMD GPUs in the emulator."""

from __future__ import annotations

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from test_kernels import arch, pytestmark, run  # noqa: F401


@tw.jit
def moves(x, places, out):
    i = tl.arange(0, 96)
    v = tl.load(x + i)
    v = tl.gather(v, tl.load(places + i), 0)
    v = tl.cat(v[::-1], v[8:40], dim=0)
    j = tl.arange(0, 128)
    tl.store(out + j, v + tl.sum(v, 0))


def test_moves(arch, rng):  # noqa: F811
    x, places = rng.integers(-99, 99, 96).astype(np.float32), rng.integers(0, 96, 96).astype(np.int32)
    out = np.zeros(128, np.float32)
    run(moves, arch, (1,), {"x": x, "places": places, "out": out})
    v = x[places]
    v = np.concatenate([v[::-1], v[8:40]])
    np.testing.assert_array_equal(out, v + v.sum())


@tw.jit
def halvings(a):
    n = 0
    while a > 1.0:
        a = a * 0.5
        n += 1
    return n


@tw.jit
def mapped(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.map_elementwise(halvings, tl.load(x + i, mask=i < n)), mask=i < n)


def test_scalar_code(arch, rng):  # noqa: F811
    x = rng.uniform(0.1, 1000, 70).astype(np.float32)
    out = np.zeros(70, np.int32)
    run(mapped, arch, (1,), {"x": x, "out": out, "n": 70}, BLOCK=100)
    np.testing.assert_array_equal(out, np.maximum(np.ceil(np.log2(x)), 0).astype(np.int32))


@tw.jit
def assembled(x, out):
    i = tl.arange(0, 128)
    v = tl.inline_asm_elementwise("v_not_b32 $0, $1", "=v,v", [tl.load(x + i)], tl.int32, is_pure=True, pack=1)
    tl.store(out + i, v)


def test_assembly(arch, rng):  # noqa: F811
    x = rng.integers(-1000, 1000, 128).astype(np.int32)
    out = np.zeros(128, np.int32)
    run(assembled, arch, (1,), {"x": x, "out": out})
    np.testing.assert_array_equal(out, ~x)


@tw.jit
def product(a, b, out):
    i, j, k = tl.arange(0, 48)[:, None], tl.arange(0, 80)[None, :], tl.arange(0, 32)
    x, y = tl.load(a + i * 32 + k[None, :]), tl.load(b + k[:, None] * 80 + j)
    tl.store(out + i * 80 + j, tl.dot(x, y))


def test_odd_products(arch, rng):  # noqa: F811
    a, b = (rng.integers(-8, 8, shape).astype(np.float16) for shape in ((48, 32), (32, 80)))
    out = np.zeros((48, 80), np.float32)
    run(product, arch, (1,), {"a": a, "b": b, "out": out})
    np.testing.assert_array_equal(out, a.astype(np.float32) @ b.astype(np.float32))


@tw.jit
def square_product(a, b, out, SIDE: tl.constexpr, DEPTH: tl.constexpr):
    i, j, k = tl.arange(0, SIDE)[:, None], tl.arange(0, SIDE)[None, :], tl.arange(0, DEPTH)
    x, y = tl.load(a + i * DEPTH + k[None, :]), tl.load(b + k[:, None] * SIDE + j)
    tl.store(out + i * SIDE + j, tl.dot(x, y))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int8", "uint8"])
def test_products_without_a_unit(arch, rng, dtype):  # noqa: F811
    dtype = np.dtype(getattr(pytest.importorskip("ml_dtypes"), dtype, dtype))
    a, b = (rng.integers(0, 8, shape).astype(dtype) for shape in ((32, 64), (64, 32)))
    out = np.zeros((32, 32), np.int32 if dtype.kind in "iu" else np.float32)
    run(square_product, arch, (1,), {"a": a, "b": b, "out": out}, SIDE=32, DEPTH=64)
    np.testing.assert_array_equal(out, a.astype(np.int64) @ b.astype(np.int64))


@tw.jit
def scaled(a, scale, b, out):
    i, j, k = tl.arange(0, 32)[:, None], tl.arange(0, 16)[None, :], tl.arange(0, 16)
    x, y = tl.load(a + i * 16 + k[None, :]), tl.load(b + k[:, None] * 16 + j)
    s = tl.load(scale + tl.arange(0, 32)).to(tl.uint8)
    r = tl.dot_scaled(x.to(tl.uint8), s[:, None], "e2m1", y.to(tl.uint8), None, "e2m1")
    tl.store(out + i * 16 + j, r)


def test_scaled_products(arch, rng):  # noqa: F811
    a, b = rng.integers(0, 256, (32, 16)).astype(np.int32), rng.integers(0, 256, (16, 16)).astype(np.int32)
    scale = rng.integers(125, 130, 32).astype(np.int32)
    out = np.zeros((32, 16), np.float32)
    run(scaled, arch, (1,), {"a": a, "scale": scale, "b": b, "out": out})
    values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])
    left = np.stack([values[a & 15], values[a >> 4]], 2).reshape(32, 32) * np.ldexp(1.0, scale - 127)[:, None]
    right = np.stack([values[b & 15], values[b >> 4]], 1).reshape(32, 16)
    np.testing.assert_allclose(out, left @ right, rtol=1e-6)
