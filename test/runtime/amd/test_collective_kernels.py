"""Scans, sorts and histograms, compiled for AMD GPUs: their numbers in the emulator against numpy."""

from __future__ import annotations

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from amd_kernels import needs_objdump, run

pytestmark = needs_objdump


@pytest.fixture(params=["gfx942", "gfx1100"])  # of 64 lanes and of 32
def arch(request: pytest.FixtureRequest) -> str:
    return request.param


@tw.jit
def cumsum(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out + i, tl.cumsum(tl.load(x + i), AXIS, REVERSE))


@pytest.mark.parametrize("rows, columns, axis, reverse, warps", [
    (1, 2048, 1, False, 4), (1, 1024, 1, True, 2), (8, 128, 1, False, 2), (64, 16, 0, True, 4), (1, 4, 1, False, 1),
    (3, 100, 1, True, 2)])
def test_cumsum(arch, rng, rows, columns, axis, reverse, warps):
    x = rng.integers(-1000, 1000, (rows, columns)).astype(np.int32)
    out = np.zeros_like(x)
    run(cumsum, arch, (1,), {"x": x, "out": out}, num_warps=warps, ROWS=rows, COLUMNS=columns, AXIS=axis,
        REVERSE=reverse)
    expected = np.flip(np.cumsum(np.flip(x, axis), axis), axis) if reverse else np.cumsum(x, axis)
    np.testing.assert_array_equal(out, expected.astype(np.int32))


@tw.jit
def then(scale_a, offset_a, scale_b, offset_b):
    return scale_a * scale_b, offset_a * scale_b + offset_b


@tw.jit
def recurrence(scale, offset, out, N: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.associative_scan((tl.load(scale + i), tl.load(offset + i)), 0, then, REVERSE)
    tl.store(out + i, a)
    tl.store(out + N + i, b)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("size, warps", [(64, 1), (1024, 2)])
def test_a_recurrence_keeps_the_order(arch, rng, size, warps, reverse):
    scale, offset = rng.integers(-3, 4, (2, size)).astype(np.int32)
    out = np.zeros((2, size), np.int32)
    run(recurrence, arch, (1,), {"scale": scale, "offset": offset, "out": out}, num_warps=warps, N=size,
        REVERSE=reverse)
    order = range(size - 1, -1, -1) if reverse else range(size)
    expected = np.zeros_like(out)
    a, b = np.int32(1), np.int32(0)
    with np.errstate(over="ignore"):
        for i in order:
            a, b = a * scale[i], b * scale[i] + offset[i]
            expected[:, i] = a, b
    np.testing.assert_array_equal(out, expected)


@tw.jit
def sort(x, out, places, ROWS: tl.constexpr, COLUMNS: tl.constexpr, K: tl.constexpr, DESCENDING: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    j = tl.arange(0, ROWS)[:, None] * K + tl.arange(0, K)[None, :]
    v = tl.load(x + i)
    tl.store(out + j, tl.topk(v, K, 1, DESCENDING))
    tl.store(places + j, tl.topk(v, K, 1, DESCENDING, return_indices=True)[1])


@pytest.mark.parametrize("dtype, rows, columns, k, warps", [
    ("float32", 1, 1024, 1024, 4), ("int64", 8, 64, 64, 2), ("int8", 1, 2, 1, 1), ("float16", 4, 128, 8, 4),
    ("int64", 1, 512, 16, 4), ("float32", 64, 4, 4, 2), ("int16", 3, 100, 5, 2)])
def test_sort_and_topk(arch, rng, dtype, rows, columns, k, warps):
    descending = bool(k % 16)
    x = rng.integers(-50, 50, (rows, columns)).astype(dtype)
    out, places = np.zeros((rows, k), dtype), np.zeros((rows, k), np.int32)
    run(sort, arch, (1,), {"x": x, "out": out, "places": places}, num_warps=warps, ROWS=rows, COLUMNS=columns, K=k,
        DESCENDING=descending)
    order = np.argsort(-x if descending else x, 1, kind="stable")[:, :k]
    np.testing.assert_array_equal(out, np.take_along_axis(x, order, 1))
    np.testing.assert_array_equal(places, order)


@tw.jit
def histogram(x, counts, n, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(counts + tl.arange(0, BINS), tl.histogram(tl.load(x + i), BINS, mask=i < n))


@pytest.mark.parametrize("size, bins, warps", [(1024, 64, 4), (32, 256, 2), (2, 2, 1)])
def test_histogram(arch, rng, size, bins, warps):
    x = rng.integers(-2, bins + 2, size).astype(np.int32)
    counts = np.full(bins, -1, np.int32)
    run(histogram, arch, (1,), {"x": x, "counts": counts, "n": size - 1}, num_warps=warps, N=size, BINS=bins)
    inside = x[:size - 1]
    inside = inside[(inside >= 0) & (inside < bins)]
    np.testing.assert_array_equal(counts, np.bincount(inside, minlength=bins))
