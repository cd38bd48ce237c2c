"""Kernels of the language, compiled for AMD GPUs: their numbers in the emulator against numpy."""

from __future__ import annotations

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from amd_kernels import ARCHS, needs_objdump, run

pytestmark = needs_objdump


@pytest.fixture(params=ARCHS)
def arch(request: pytest.FixtureRequest) -> str:
    return request.param


@tw.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64"])
@pytest.mark.parametrize("n", [1, 1000])
def test_add(arch, rng, dtype, n):
    x, y = (rng.integers(-1000, 1000, n).astype(dtype) for _ in range(2))
    out = np.zeros(n, dtype)
    run(add, arch, (-(-n // 256),), {"x": x, "y": y, "out": out, "n": n}, BLOCK=256)
    np.testing.assert_array_equal(out, x + y)


@tw.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < columns
    v = tl.load(x + row * columns + i, mask=m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * columns + i, e / tl.sum(e, axis=0), mask=m)


def test_softmax(arch, rng):
    x = rng.normal(0, 10, (3, 391)).astype(np.float32)
    out = np.zeros_like(x)
    run(softmax, arch, (3,), {"x": x, "out": out, "columns": 391}, BLOCK=512)
    e = np.exp((x - x.max(axis=1, keepdims=True)).astype(np.float64))
    np.testing.assert_allclose(out, e / e.sum(axis=1, keepdims=True), rtol=2e-6)


@tw.jit
def argmax(x, out, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.arange(0, ROWS)
    j = tl.arange(0, COLUMNS)
    m = j[None, :] < columns
    v = tl.load(x + i[:, None] * columns + j[None, :], mask=m, other=-float("inf"))
    tl.store(out + i, tl.argmax(v, axis=1))


@pytest.mark.parametrize("rows, columns", [(1, 300), (8, 17), (32, 64)])
def test_argmax(arch, rng, rows, columns):
    x = rng.integers(0, 50, (rows, columns)).astype(np.float32)  # with ties: the first wins
    out = np.full(rows, -1, np.int32)
    block = 1 << (columns - 1).bit_length()
    run(argmax, arch, (1,), {"x": x, "out": out, "columns": columns}, num_warps=4, ROWS=rows, COLUMNS=block)
    np.testing.assert_array_equal(out, x.argmax(axis=1))


@tw.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        inside = start + k < K
        x = tl.load(a + i[:, None] * K + (start + k)[None, :], mask=(i < M)[:, None] & inside[None, :], other=0.0)
        y = tl.load(b + (start + k)[:, None] * N + j[None, :], mask=inside[:, None] & (j < N)[None, :], other=0.0)
        total += tl.dot(x, y, input_precision="ieee")
    tl.store(c + i[:, None] * N + j[None, :], total, mask=(i < M)[:, None] & (j < N)[None, :])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_matmul(arch, rng, dtype):
    m, n, k = 37, 32, 41
    a, b = rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)
    c = np.zeros((m, n), np.float32)
    args = {"a": a, "b": b, "c": c, "M": m, "N": n, "K": k}
    run(matmul, arch, (2, 1), args, num_warps=4, BM=32, BN=32, BK=16)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-5)


@tw.jit
def layer_norm(x, weight, bias, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < columns
    v = tl.load(x + row * columns + i, mask=m, other=0.0)
    mean = tl.sum(v, axis=0) / columns
    centred = tl.where(m, v - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    y = centred / tl.sqrt(variance + 1e-5)
    tl.store(out + row * columns + i, y * tl.load(weight + i, mask=m) + tl.load(bias + i, mask=m), mask=m)


def test_layer_norm(arch, rng):
    x = rng.normal(3, 2, (2, 300)).astype(np.float32)
    weight, bias = rng.normal(size=(2, 300)).astype(np.float32)
    out = np.zeros_like(x)
    args = {"x": x, "weight": weight, "bias": bias, "out": out, "columns": 300}
    run(layer_norm, arch, (2,), args, num_warps=4, BLOCK=512)
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * weight + bias
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=2e-5)


@tw.jit
def transpose(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i[:, None] * N + i[None, :], tl.trans(tl.load(x + i[:, None] * N + i[None, :])))


def test_transposition_through_on_chip_memory(arch, rng):
    x = rng.normal(size=(64, 64)).astype(np.float32)
    out = np.zeros_like(x)
    run(transpose, arch, (1,), {"x": x, "out": out}, num_warps=4, N=64)
    np.testing.assert_array_equal(out, x.T)


@tw.jit
def histogram(x, counts, total, extents, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m)
    tl.atomic_add(counts + v, 1, mask=m)
    tl.atomic_add(total, tl.sum(v.to(tl.float32), axis=0))
    place = tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)
    place = place * tl.num_programs(0) + tl.program_id(0)
    tl.store(extents + place, 10000 * tl.num_programs(0) + 100 * tl.num_programs(1) + tl.num_programs(2))


def test_atomics_and_the_grid(arch, rng):
    x = rng.integers(0, 10, 500).astype(np.int32)
    counts, total, extents = np.zeros(10, np.int32), np.zeros(1, np.float32), np.zeros(12, np.int32)
    args = {"x": x, "counts": counts, "total": total, "extents": extents, "n": 500}
    run(histogram, arch, (2, 3, 2), args, BLOCK=256)
    np.testing.assert_array_equal(counts, 6 * np.bincount(x, minlength=10))
    assert total[0] == 6 * x.sum()
    assert (extents == 20302).all()


@tw.jit
def printing(x):
    tl.device_print("x", tl.load(x))


def test_printing_is_refused_where_it_stands():
    with pytest.raises(tw.CompilationError, match="printing from a kernel.* is not supported on AMD") as caught:
        tw.compile(printing, {"x": "*fp32"}, target="amd:gfx942")
    assert "tl.device_print" in str(caught.value)
