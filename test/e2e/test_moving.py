"""Gathers, concatenation, slices and other moves of elements, against numpy."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import FLOATS, INTEGERS, same, some

DTYPES = [np.dtype(bool), *INTEGERS, *FLOATS]


@tw.jit
def offsets(shape: tl.constexpr):
    """The row-major places of the elements of a block."""
    return tl.arange(0, tl.zeros(shape, tl.int1).numel).reshape(shape)


# --- gather -----------------------------------------------------------------------------------------
@tw.jit
def gather_kernel(x, places, out, SHAPE: tl.constexpr, TAKEN: tl.constexpr, AXIS: tl.constexpr):
    index = tl.load(places + offsets(TAKEN))
    tl.store(out + offsets(TAKEN), tl.gather(tl.load(x + offsets(SHAPE)), index, AXIS))


def gathered(x, index, axis):
    out = np.empty(index.shape, x.dtype)
    gather_kernel[(1,)](x, index, out, SHAPE=x.shape, TAKEN=index.shape, AXIS=axis)
    return out


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_gather(rng, dtype):
    for shape, axis, count in [((64,), 0, 128), ((16, 32), 1, 8), ((16, 32), -2, 64), ((4, 8, 16), 1, 2)]:
        x = some(rng, dtype, shape)
        taken = list(shape)
        taken[axis] = count
        index = rng.integers(0, shape[axis], taken).astype(np.int32)
        assert same(gathered(x, index, axis), np.take_along_axis(x, index, axis))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_types_of_indices(rng, dtype):
    x = some(rng, np.dtype("float32"), (16, 64))
    index = rng.integers(0, 64, (16, 16)).astype(dtype)
    assert same(gathered(x, index, 1), np.take_along_axis(x, index.astype(np.int64), 1))


def test_indices_outside_of_a_block_take_its_last_element(rng):
    x = some(rng, np.dtype("int32"), (32,))
    index = np.array([0, 31, 32, 1000, -1, -32, 2**31 - 1, -2**31], np.int32)
    inside = np.where((index < 0) | (index > 31), 31, index)
    assert same(gathered(x, index, 0), x[inside])


@tw.jit
def permuted_rows_kernel(x, order, out, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    columns = tl.arange(0, COLUMNS)
    places = tl.arange(0, ROWS)[:, None] * n + columns[None, :]
    v = tl.load(x + places, mask=(columns < n)[None, :], other=0.0)
    index = tl.broadcast_to(tl.load(order + tl.arange(0, ROWS))[:, None], ROWS, COLUMNS)
    v = (v * 2).gather(index, 0)
    tl.store(out + places, v + tl.sum(v, 1)[:, None], mask=(columns < n)[None, :])


def test_gather_between_masked_accesses_and_a_reduction(rng):
    for n in (1, 37, 100):
        x = rng.integers(-9, 9, (8, n)).astype(np.float32)
        order = rng.permutation(8).astype(np.int32)
        out = np.empty_like(x)
        permuted_rows_kernel[(1,)](x, order, out, n, ROWS=8, COLUMNS=128)
        expected = 2 * x[order]
        assert same(out, expected + expected.sum(1, keepdims=True))


# --- cat, flip ----------------------------------------------------------------------------------------
@tw.jit
def cat_kernel(x, y, out, FIRST: tl.constexpr, SECOND: tl.constexpr, DIM: tl.constexpr):
    r = tl.cat(tl.load(x + offsets(FIRST)), tl.load(y + offsets(SECOND)), dim=DIM)
    tl.store(out + offsets(r.shape), r)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_cat(rng, dtype):
    for first, second, dim in [((64,), (64,), 0), ((128,), (32,), 0), ((8, 16), (8, 16), 0), ((8, 16), (8, 16), 1),
                               ((8, 64), (8, 128), -1), ((4, 1, 8), (4, 2, 8), 1), ((512,), (512,), 0)]:
        x, y = some(rng, dtype, first), some(rng, dtype, second)
        expected = np.concatenate([x, y], dim)
        out = np.empty_like(expected)
        cat_kernel[(1,)](x, y, out, FIRST=first, SECOND=second, DIM=dim)
        assert same(out, expected)


@tw.jit
def flip_kernel(x, out, SHAPE: tl.constexpr, DIM: tl.constexpr):
    tl.store(out + offsets(SHAPE), tl.flip(tl.load(x + offsets(SHAPE)), DIM))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_flip(rng, dtype):
    for shape, dim in [((256,), None), ((8, 32), 0), ((8, 32), 1), ((2, 4, 8), -2)]:
        x = some(rng, dtype, shape)
        out = np.empty_like(x)
        flip_kernel[(1,)](x, out, SHAPE=shape, DIM=dim)
        assert same(out, np.flip(x, -1 if dim is None else dim))


# --- slices -------------------------------------------------------------------------------------------
@tw.jit
def slice_kernel(x, out, KIND: tl.constexpr):
    v = tl.load(x + offsets((16, 64)))
    if KIND == "rows":
        v = v[0:4]
    elif KIND == "columns":
        v = v[:, 2:6]
    elif KIND == "steps":
        v = v[1::3, ::2]
    elif KIND == "backwards":
        v = v[::-1, -3:0:-7]
    elif KIND == "row":
        v = v[3]
    elif KIND == "last column":
        v = v[..., -1]
    elif KIND == "element":
        v = v[5, 7]
    elif KIND == "new dimensions":
        v = v[None, 4:8, None, :32, None]
    elif KIND == "of a slice":
        v = v[8:, 16:48][1:3, ::-1][:, 5]
    tl.store(out + tl.arange(0, v.numel), v.ravel() if v.type.is_block() else v)


SLICES = {
    "rows": np.s_[0:4], "columns": np.s_[:, 2:6], "steps": np.s_[1::3, ::2], "backwards": np.s_[::-1, -3:0:-7],
    "row": np.s_[3], "last column": np.s_[..., -1], "element": np.s_[5, 7],
    "new dimensions": np.s_[None, 4:8, None, :32, None],
}


@pytest.mark.parametrize("kind", [*SLICES, "of a slice"])
@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
def test_slices(rng, kind, dtype):
    x = some(rng, np.dtype(dtype), (16, 64))
    expected = x[SLICES[kind]] if kind in SLICES else x[8:, 16:48][1:3, ::-1][:, 5]
    out = np.empty(expected.size, x.dtype)
    slice_kernel[(1,)](x, out, KIND=kind)
    assert same(out, np.ravel(expected))


@tw.jit
def computed_index_kernel(x, out, row, column):
    v = tl.load(x + offsets((8, 32)))
    tl.store(out + tl.arange(0, 32), v[row])
    tl.store(out + 32 + tl.arange(0, 8), v[:, column])
    tl.store(out + 40, v[row, column])


def test_computed_indices(rng):
    x = some(rng, np.dtype("float16"), (8, 32))
    out = np.empty(41, np.float16)
    row, column = int(rng.integers(2, 8)), int(rng.integers(2, 32))
    computed_index_kernel[(1,)](x, out, row, column)
    assert same(out, np.concatenate([x[row], x[:, column], x[row:row + 1, column]]))


@tw.jit
def neighbours_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    v = v * v
    d = v[1:] - v[:-1]
    j = tl.arange(0, BLOCK - 1)
    tl.store(out + j, d, mask=j + 1 < n)


@pytest.mark.parametrize("n", [2, 63, 64, 65, 256])
def test_overlapping_slices(rng, n):
    x = rng.integers(-99, 99, n).astype(np.float32)
    out = np.zeros(n - 1, np.float32)
    neighbours_kernel[(1,)](x, out, n, BLOCK=256)
    assert same(out, np.diff(x * x))


# --- shapes of scalars and small blocks ------------------------------------------------------------------
@tw.jit
def scalar_shapes_kernel(x, y, out):
    a, b = tl.load(x), tl.load(y)
    pair = tl.join(a, b)
    tl.store(out + tl.arange(0, 2), pair)
    second, first = tl.split(pair[::-1])
    tl.store(out + 2, first)
    tl.store(out + 3, second)
    tl.store(out + 4 + tl.arange(0, 2), tl.interleave(a, b))
    tl.store(out + 6, pair[1:].item())
    tl.store(out + 7, a[None, None].reshape(1).item())
    four = tl.cat(pair, tl.cat(a[None], b[None]), can_reorder=True)
    tl.store(out + 8 + tl.arange(0, 4), four)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_shapes_of_scalars(rng, dtype):
    x, y = some(rng, dtype, (1,)), some(rng, dtype, (1,))
    out = np.empty(12, dtype)
    scalar_shapes_kernel[(1,)](x, y, out)
    pair = [x[0], y[0]]
    assert same(out, np.array([*pair, *pair, *pair, y[0], x[0], *pair, *pair], dtype))


@tw.jit
def spelling_kernel(x, out):
    v = tl.load(x + offsets((2, 4, 8)))
    n: tl.constexpr = 64
    i = tl.arange(0, n)
    tl.store(out + i, tl.permute(v, (2, 0, 1)).ravel())
    tl.store(out + n + i, tl.permute(v, 2, 0, 1).reshape(n))
    tl.store(out + 2 * n + i, v.permute([-1, 0, 1]).reshape((n,)))
    tl.store(out + 3 * n + i, tl.trans(v, (2, 0, 1)).view(n))
    tl.store(out + 4 * n + i, v.trans(2, 0, 1).reshape([n]))
    tl.store(out + 5 * n + i, v.T.ravel())
    tl.store(out + 6 * n + i, tl.trans(v).reshape(-1))
    tl.store(out + 7 * n + i, v.expand_dims((0, 2)).squeeze(2).unsqueeze(1).view((n,)))
    a, b = tl.broadcast(v[:, :1], v[:1, :])
    tl.store(out + 8 * n + i, (a + b).ravel(can_reorder=True))
    tl.store(out + 9 * n + i, tl.broadcast_to(v[:1], (2, 4, 8)).reshape(n, can_reorder=False))
    tl.store(out + 10 * n + i, v[:, :, :1].broadcast_to(2, 4, 8).ravel())


def test_spellings(rng):
    x = rng.integers(-99, 99, (2, 4, 8)).astype(np.int32)
    out = np.empty((11, 64), np.int32)
    spelling_kernel[(1,)](x, out)
    turned, swapped = x.transpose(2, 0, 1), x.transpose(0, 2, 1)
    expected = [turned] * 5 + [swapped] * 2 + [x, x[:, :1] + x[:1], np.broadcast_to(x[:1], x.shape),
                                               np.broadcast_to(x[:, :, :1], x.shape)]
    for got, want in zip(out, expected, strict=True):
        assert same(got, want.ravel())


# --- packed integers ----------------------------------------------------------------------------------
@tw.jit
def unpack_kernel(x, out, DIM: tl.constexpr, SIGNED: tl.constexpr):
    v = tl.unpack_int4(tl.load(x + offsets((8, 16))), dim=DIM, signed=SIGNED)
    tl.store(out + offsets(v.shape), v)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_unpacked_int4(rng, dim, dtype):
    x = some(rng, np.dtype(dtype), (8, 16))
    low, high = x.view(np.uint8) & 15, x.view(np.uint8) >> 4
    expected = np.stack([low, high], dim + 1).reshape((16, 16) if dim == 0 else (8, 32))
    out = np.empty_like(expected)
    unpack_kernel[(1,)](x, out, DIM=dim, SIGNED=False)
    assert same(out, expected)
    out = out.view(np.int8)
    unpack_kernel[(1,)](x, out, DIM=dim, SIGNED=True)
    assert same(out, expected.astype(ml_dtypes.int4).astype(np.int8))
