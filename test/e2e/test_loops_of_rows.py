"""Loops that walk over rows, with iterations in flight: what is stored, reduced and carried, against numpy."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

COLUMNS = [(128, 128), (1000, 1024), (77, 128)]  # and the block that holds them


@tw.jit
def normalize_kernel(x, factors, y, sums, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    program = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in tl.range(program, rows, tl.num_programs(0), num_stages=STAGES):
        values = tl.load(x + row * columns + offsets, mask=mask, other=-float("inf")).to(tl.float32)
        weights = tl.exp2(values - tl.max(values, axis=0)) * tl.load(factors + row)
        result = weights / tl.sum(weights, axis=0)
        tl.store(y + row * columns + offsets, result, mask=mask)
        total += result
    tl.store(sums + program * columns + offsets, total, mask=mask)


@pytest.mark.parametrize("stages", [1, 2, 3, 5])
@pytest.mark.parametrize("columns, block", COLUMNS)
@pytest.mark.parametrize("rows, programs", [(0, 2), (1, 1), (7, 3), (12, 2)])
def test_rows_are_normalized_and_summed(rng, rows, programs, columns, block, stages):
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    factors = rng.random(rows).astype(np.float32) + 1
    y, sums = np.full_like(x, np.nan), np.full((programs, columns), np.nan, np.float32)
    normalize_kernel[(programs,)](x, factors, y, sums, rows, columns, BLOCK=block, STAGES=stages)
    expected = np.exp2(x.astype(np.float64))
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(y, expected, rtol=1e-5)
    for program in range(programs):
        np.testing.assert_allclose(sums[program], expected[program::programs].sum(axis=0), rtol=1e-5)


@tw.jit
def gradient_kernel(dy, x, weight, scales, dx, dw, db, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    w = tl.load(weight + offsets, mask=mask, other=0.0).to(tl.float32)
    sum_w, sum_b = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
    for row in tl.range(0, rows, num_stages=STAGES):
        gradient = tl.load(dy + row * columns + offsets, mask=mask, other=0.0).to(tl.float32)
        values = tl.load(x + row * columns + offsets, mask=mask, other=0.0).to(tl.float32)
        normal = values * tl.load(scales + row)
        weighted = gradient * w
        result = weighted - normal * tl.sum(normal * weighted, axis=0) - tl.sum(weighted, axis=0)
        tl.store(dx + row * columns + offsets, result.to(dx.dtype.element_ty), mask=mask)
        sum_w += gradient * normal
        sum_b += gradient
    tl.store(dw + offsets, sum_w, mask=mask)
    tl.store(db + offsets, sum_b, mask=mask)


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("columns, block, warps", [(2048, 2048, 1), (3000, 4096, 2), (500, 512, 4)])
def test_what_does_not_fit_in_registers_is_computed_again(rng, columns, block, warps, stages):
    rows = 5
    dy, x = (rng.standard_normal((rows, columns)).astype(np.float16) for _ in range(2))
    weight = rng.standard_normal(columns).astype(np.float16)
    scales = rng.random(rows).astype(np.float32)
    dx = np.full_like(x, np.nan)
    dw, db = (np.full(columns, np.nan, np.float32) for _ in range(2))
    gradient_kernel[(1,)](dy, x, weight, scales, dx, dw, db, rows, columns, BLOCK=block, STAGES=stages,
                          num_warps=warps)
    dy, x, weight = (array.astype(np.float64) for array in (dy, x, weight))
    normal, weighted = x * scales[:, None], dy * weight
    expected = weighted - normal * (normal * weighted).sum(axis=1, keepdims=True) - weighted.sum(axis=1, keepdims=True)
    assert np.linalg.norm(dx - expected) <= 1e-3 * np.linalg.norm(expected)
    np.testing.assert_allclose(dw, (dy * normal).sum(axis=0), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(db, dy.sum(axis=0), rtol=1e-4, atol=1e-4)


@tw.jit
def columns_kernel(x, sums, largest, rows, columns, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   STAGES: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = offsets < columns
    total = tl.zeros((BLOCK_N,), tl.float32)
    maximum = tl.full((BLOCK_N,), -float("inf"), tl.float32)
    for start in tl.range(0, rows, BLOCK_M, num_stages=STAGES):
        row = start + tl.arange(0, BLOCK_M)
        mask = (row < rows)[:, None] & inside[None, :]
        pointers = x + row[:, None] * columns + offsets[None, :]
        total += tl.sum(tl.load(pointers, mask=mask, other=0.0), axis=0)
        maximum = tl.maximum(maximum, tl.max(tl.load(pointers, mask=mask, other=-float("inf")), axis=0))
    tl.store(sums + offsets, total, mask=inside)
    tl.store(largest + offsets, maximum, mask=inside)


@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("block", [(8, 256), (4, 64), (32, 16)])
@pytest.mark.parametrize("shape", [(1, 256), (40, 300), (33, 512)])
def test_columns_are_reduced(rng, shape, block, stages):
    x = rng.standard_normal(shape).astype(np.float32)
    sums, largest = (np.full(shape[1], np.nan, np.float32) for _ in range(2))
    columns_kernel[(tw.cdiv(shape[1], block[1]),)](x, sums, largest, *shape, *block, STAGES=stages)
    np.testing.assert_allclose(sums, x.astype(np.float64).sum(axis=0), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(largest, x.max(axis=0))


@tw.jit
def facts_kernel(x, sums, squares, largest, places, wholes, count, SHAPE: tl.constexpr, AXIS: tl.constexpr):
    """Of each block: what needs the same elements, and no other result."""
    KEPT: tl.constexpr = SHAPE[1 - AXIS]
    rows, columns = tl.arange(0, SHAPE[0])[:, None], tl.arange(0, SHAPE[1])[None, :]
    for block in range(count):
        values = tl.load(x + (block * SHAPE[0] + rows) * SHAPE[1] + columns)
        out = block * KEPT + tl.arange(0, KEPT)
        tl.store(sums + out, tl.sum(values.to(tl.float32), AXIS))
        tl.store(squares + out, tl.sum(values.to(tl.float32) * values.to(tl.float32), AXIS))
        most, place = tl.max(values, AXIS, return_indices=True)
        tl.store(largest + out, most)
        tl.store(places + out, place)
        tl.store(wholes + out, tl.sum(values.to(tl.int64), AXIS))


@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("shape, axis", [((1, 1024), 1), ((4, 512), 1), ((512, 4), 0), ((64, 16), 1), ((32, 128), 0),
                                         ((6, 96), 1), ((16, 1024), 0)])
def test_reductions_that_do_not_need_each_other(rng, shape, axis, warps):
    count = 3
    x = rng.permutation(np.arange(count * shape[0] * shape[1]) % 2039 - 1000).reshape(count, *shape).astype(np.float32)
    kept = count * shape[1 - axis]
    sums, squares, largest = (np.full(kept, np.nan, np.float32) for _ in range(3))
    places, wholes = np.full(kept, -1, np.int32), np.full(kept, -1, np.int64)
    facts_kernel[(1,)](x, sums, squares, largest, places, wholes, count, SHAPE=shape, AXIS=axis, num_warps=warps)
    exact = x.astype(np.int64)
    np.testing.assert_array_equal(wholes, exact.sum(axis + 1).ravel())
    np.testing.assert_array_equal(largest, x.max(axis + 1).ravel())
    np.testing.assert_array_equal(places, x.argmax(axis + 1).ravel())
    np.testing.assert_allclose(sums, exact.sum(axis + 1).ravel(), rtol=1e-5, atol=1)
    np.testing.assert_allclose(squares, (exact**2).sum(axis + 1).ravel(), rtol=1e-5)


@tw.jit
def extremes_kernel(x, sums, largest, rows, SIDE: tl.constexpr, STAGES: tl.constexpr):
    i = tl.arange(0, SIDE)
    places = i[:, None] * SIDE + i[None, :]
    for row in tl.range(0, rows, num_stages=STAGES):
        values = tl.load(x + row * SIDE * SIDE + places)
        tl.store(sums + row * SIDE + i, tl.sum(values, 0))
        tl.store(largest + row * SIDE + i, tl.max(values, 0))


@pytest.mark.parametrize("target", ["nvidia:sm_80", "nvidia:sm_90a", "amd:gfx942"])
@pytest.mark.parametrize("stages", range(3, 9))
def test_reductions_and_copies_share_on_chip_memory(target, stages):
    """However many iterations are asked for: as many as fit beside what reductions exchange."""
    signature = {"x": "*fp16:16", "sums": "*fp16:16", "largest": "*fp16:16", "rows": "i32", "SIDE": 128,
                 "STAGES": stages}
    kernel = tw.compile(extremes_kernel, signature, target=target, num_warps=4, debug=False)
    assert "tile.reduce" in kernel.asm["scheduled"]
