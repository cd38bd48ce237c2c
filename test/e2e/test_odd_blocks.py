"""Blocks whose sides are no powers of two: everything that works on others works on them."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import FLOATS, INTEGERS, same, some

SIZES = [1, 3, 7, 48, 63, 65, 96, 100, 160, 1000]
SHAPES = [(3, 5), (12, 20), (96, 7), (7, 96), (48, 80), (1, 100), (100, 1)]


@tw.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@pytest.mark.parametrize("block", SIZES)
def test_sums_of_vectors(rng, block):
    for n in (1, block, 3 * block + 1):
        x, y = (rng.integers(-99, 99, n).astype(np.float32) for _ in range(2))
        out = np.empty_like(x)
        add_kernel[(tw.cdiv(n, block),)](x, y, out, n, BLOCK=block)
        assert same(out, x + y)


@tw.jit
def copy_kernel(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out + i, tl.load(x + i))


@pytest.mark.parametrize("dtype", [np.dtype(bool), *INTEGERS, *FLOATS], ids=str)
def test_copies_touch_nothing_else(rng, dtype):
    for shape in SHAPES:
        count = shape[0] * shape[1]
        x = some(rng, dtype, count + 64)
        out = some(rng, dtype, count + 64)
        expected = np.concatenate([x[:count], out[count:]])
        copy_kernel[(1,)](x, out, ROWS=shape[0], COLUMNS=shape[1])
        assert same(out, expected)


@tw.jit
def reduce_kernel(x, out, OP: tl.constexpr, AXIS: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    v = tl.load(x + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])
    if OP == "sum":
        r = tl.sum(v, AXIS)
    elif OP == "max":
        r = tl.max(v, AXIS)
    elif OP == "min":
        r = tl.min(v, AXIS)
    elif OP == "xor":
        r = tl.xor_sum(v, AXIS)
    else:
        r = tl.argmax(v, AXIS)
    if AXIS is None:
        tl.store(out, r)
    else:
        tl.store(out + tl.arange(0, r.shape[0]), r)


REDUCTIONS = {"sum": np.sum, "max": np.max, "min": np.min, "xor": np.bitwise_xor.reduce, "argmax": np.argmax}


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("op", REDUCTIONS)
def test_reductions(rng, op, axis):
    for shape in SHAPES:
        x = rng.integers(-1000, 1000, shape).astype(np.int32)
        expected = np.asarray(REDUCTIONS[op](x, axis=axis), np.int32)
        out = np.empty(expected.shape or 1, np.int32)
        reduce_kernel[(1,)](x, out, OP=op, AXIS=axis, ROWS=shape[0], COLUMNS=shape[1])
        assert same(out.reshape(expected.shape), expected)


@tw.jit
def softmax_kernel(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * n + i, e / tl.sum(e, 0), mask=i < n)


@pytest.mark.parametrize("n,block", [(5, 5), (90, 96), (1000, 1000), (777, 1280)])
def test_softmax(rng, n, block):
    x = rng.standard_normal((3, n)).astype(np.float32)
    out = np.empty_like(x)
    softmax_kernel[(3,)](x, out, n, BLOCK=block)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=2e-6)


@tw.jit
def dot_kernel(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    x, y = tl.load(a + i * K + k[None, :]), tl.load(b + k[:, None] * N + j)
    tl.store(out + i * N + j, tl.dot(x, y, input_precision="ieee"))


@pytest.mark.parametrize("shape", [(48, 96, 48), (96, 80, 16), (16, 16, 96), (24, 40, 56), (3, 5, 7)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int8"])
def test_products(rng, dtype, shape):
    m, n, k = shape
    a, b = (rng.integers(-8, 8, s).astype(dtype) for s in ((m, k), (k, n)))
    out = np.empty((m, n), np.int32 if dtype == "int8" else np.float32)
    dot_kernel[(1,)](a, b, out, M=m, N=n, K=k)
    assert same(out, (a.astype(np.float64) @ b.astype(np.float64)).astype(out.dtype))


@tw.jit
def matmul_kernel(a, b, out, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        s = start + tl.arange(0, BK)
        x = tl.load(a + i[:, None] * k + s[None, :], mask=(i < m)[:, None] & (s < k)[None, :], other=0.0)
        y = tl.load(b + s[:, None] * n + j[None, :], mask=(s < k)[:, None] & (j < n)[None, :], other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(out + i[:, None] * n + j[None, :], acc, mask=(i < m)[:, None] & (j < n)[None, :])


@pytest.mark.parametrize("blocks", [(96, 64, 32), (64, 96, 48), (48, 80, 32)])
def test_matrix_products_in_a_loop(rng, blocks):
    m, n, k = 100, 130, 200
    a, b = (rng.integers(-8, 8, s).astype(np.float16) for s in ((m, k), (k, n)))
    out = np.empty((m, n), np.float32)
    bm, bn, bk = blocks
    matmul_kernel[(tw.cdiv(m, bm), tw.cdiv(n, bn))](a, b, out, m, n, k, BM=bm, BN=bn, BK=bk)
    assert same(out, a.astype(np.float32) @ b.astype(np.float32))


@tw.jit
def shape_kernel(x, out, KIND: tl.constexpr):
    v = tl.load(x + tl.arange(0, 12)[:, None] * 20 + tl.arange(0, 20)[None, :])
    if KIND == "reshape":
        v = v.reshape(16, 15)
    elif KIND == "split dimension":
        v = tl.sum(v.reshape(3, 4, 20), 1)
    elif KIND == "odd parts":
        v = tl.sum(v.reshape(12, 4, 5), 2)
    elif KIND == "permute":
        v = v.reshape(3, 4, 20).permute(2, 0, 1)
    elif KIND == "trans":
        v = tl.trans(v)
    elif KIND == "join":
        v = tl.join(v, v + 1)
    elif KIND == "split":
        a, b = v.reshape(12, 10, 2).split()
        v = a - b
    elif KIND == "interleave":
        v = tl.interleave(v, v + 1)
    elif KIND == "expand":
        v = tl.broadcast_to(v[:, None, :], 12, 3, 20)
    elif KIND == "flip":
        v = tl.flip(v, 0)
    elif KIND == "cat":
        v = tl.cat(v, v[:5] * 2, dim=0)
    elif KIND == "slice":
        v = v[1:8, 3:20:2]
    elif KIND == "gather":
        v = tl.gather(v, tl.broadcast_to(tl.arange(0, 7)[None, :] * 2 + 5, 12, 7), 1)
    elif KIND == "where":
        v = tl.where(tl.arange(0, 20)[None, :] < 7, v, -v) // 2
    tl.store(out + tl.arange(0, v.numel), v.ravel())


ODD_SHAPES = {
    "reshape": lambda v: v, "split dimension": lambda v: v.reshape(3, 4, 20).sum(1),
    "odd parts": lambda v: v.reshape(12, 4, 5).sum(2),
    "permute": lambda v: v.reshape(3, 4, 20).transpose(2, 0, 1), "trans": lambda v: v.T,
    "join": lambda v: np.stack([v, v + 1], -1), "split": lambda v: v[:, ::2] - v[:, 1::2],
    "interleave": lambda v: np.stack([v, v + 1], -1), "expand": lambda v: np.repeat(v[:, None], 3, 1),
    "flip": lambda v: v[::-1], "cat": lambda v: np.concatenate([v, v[:5] * 2]), "slice": lambda v: v[1:8, 3:20:2],
    "gather": lambda v: v[:, 5:19:2],
    "where": lambda v: np.trunc(np.where(np.arange(20) < 7, v, -v) / 2).astype(v.dtype),
}


@pytest.mark.parametrize("kind", ODD_SHAPES)
def test_shapes(rng, kind):
    x = rng.integers(-99, 99, (12, 20)).astype(np.int32)
    expected = ODD_SHAPES[kind](x).ravel()
    out = np.empty(expected.size, np.int32)
    shape_kernel[(1,)](x, out, KIND=kind)
    assert same(out, expected)


@tw.jit
def carried_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    start = 0
    while start < n:
        total += tl.load(x + start + i, mask=start + i < n, other=0.0)
        start += BLOCK
    if n > 100:
        total = total * 2
    tl.atomic_add(out + i % 5, total)


@pytest.mark.parametrize("block", [6, 96, 100])
def test_control_flow_and_atomics(rng, block):
    x = rng.integers(-99, 99, 250).astype(np.float32)
    out = np.zeros(5, np.float32)
    carried_kernel[(1,)](x, out, 250, BLOCK=block)
    padded = np.concatenate([x, np.zeros(-250 % block, np.float32)]).reshape(-1, block).sum(0) * 2
    assert same(out, np.array([padded[k::5].sum() for k in range(5)], np.float32))
