"""Products that are scaled part by part, by scales of rows and of columns that loops load beside operands, and products
of arrays that a table names, with promises that are made as statements."""

from __future__ import annotations

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

ml_dtypes = pytest.importorskip("ml_dtypes")

TYPES = {"float16": np.dtype(np.float16), "float8_e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn)}


@tw.jit
def scaled_parts_kernel(a, b, a_scales, b_scales, c, M, N, K, parts, GROUP: tl.constexpr, BLOCK_M: tl.constexpr,
                        BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, ADVANCED: tl.constexpr, MASKED: tl.constexpr):
    """c = sum over k of (a[:, k] @ b[k]) * a_scales[:, k] * b_scales[n // GROUP, k], parts of BLOCK_K columns."""
    m = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    depth = tl.arange(0, BLOCK_K)
    a_ptrs = a + m[:, None] * K + depth[None, :]
    b_ptrs = b + n[None, :] * K + depth[:, None]
    rows, columns = a_scales + m * parts, b_scales + n // GROUP * parts
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        if MASKED:
            x = tl.load(a_ptrs, mask=depth[None, :] < K - k * BLOCK_K, other=0.0)
            y = tl.load(b_ptrs, mask=depth[:, None] < K - k * BLOCK_K, other=0.0)
        else:
            x, y = tl.load(a_ptrs), tl.load(b_ptrs)
        if ADVANCED:
            by_row, by_column = tl.load(rows), tl.load(columns)
            rows += 1
            columns += 1
        else:
            by_row, by_column = tl.load(rows + k), tl.load(columns + k)
        total += tl.dot(x, y) * by_row[:, None] * by_column[None, :]
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("advanced", [False, True])
@pytest.mark.parametrize("block, warps", [((64, 128, 128), 4), ((128, 128, 128), 8), ((64, 128, 128), 8),
                                          ((16, 64, 64), 4)], ids=str)
@pytest.mark.parametrize("held", TYPES)
def test_parts_are_scaled(rng, held, block, warps, advanced, admits):
    if held != "float16" and not admits(tl.float8e4nv):
        pytest.skip("a type that is not there")
    dtype = TYPES[held]
    for M, N, K in ((96, 160, 512), (16, 16, 48), (70, 40, 272)):
        parts, groups = -(-K // block[2]), -(-N // 32)
        a, b = (rng.standard_normal(shape).astype(dtype) for shape in ((M, K), (N, K)))
        a_scales, b_scales = (rng.uniform(0.5, 2, (side, parts)).astype(np.float32) for side in (M, groups))
        exact = np.zeros((M, N))
        for part in range(parts):
            columns = slice(part * block[2], (part + 1) * block[2])
            product = a[:, columns].astype(np.float64) @ b[:, columns].astype(np.float64).T
            exact += product * a_scales[:, part, None] * np.repeat(b_scales[:, part], 32)[None, :N]
        for stages in (1, 3):
            c = np.full((M, N), 7, np.float32)
            scaled_parts_kernel[(-(-M // block[0]), -(-N // block[1]))](
                a, b, a_scales, b_scales, c, M, N, K, parts, 32, *block, ADVANCED=advanced,
                MASKED=K % block[2] != 0, num_warps=warps, num_stages=stages)
            assert np.linalg.norm(c - exact) <= 2e-3 * np.linalg.norm(exact), (M, N, K, stages)


@tw.jit
def table_kernel(table, a, b, c, count, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a @ b of each problem: sizes, rows, and where each begins; promises stand by themselves."""
    for problem in range(count):
        row = table + problem * 8
        M, N, K = tl.load(row), tl.load(row + 1), tl.load(row + 2)
        at_a, at_b, at_c = tl.load(row + 3), tl.load(row + 4), tl.load(row + 5)
        tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
        tile = tl.program_id(0)
        while tile < tiles:
            m = tile // tl.cdiv(N, BLOCK_N) * BLOCK_M + tl.arange(0, BLOCK_M)
            n = tile % tl.cdiv(N, BLOCK_N) * BLOCK_N + tl.arange(0, BLOCK_N)
            depth = tl.arange(0, BLOCK_K)
            a_ptrs = a + at_a + m[:, None] * K + depth[None, :]
            b_ptrs = b + at_b + depth[:, None] * N + n[None, :]
            total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            for _ in range(0, tl.cdiv(K, BLOCK_K)):
                tl.multiple_of(a_ptrs, [16, 16])
                tl.multiple_of(b_ptrs, [16, 16])
                total += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs))
                a_ptrs += BLOCK_K
                b_ptrs += BLOCK_K * N
            tl.store(c + at_c + m[:, None] * N + n[None, :], total)
            tile += tl.num_programs(0)


@pytest.mark.parametrize("warps, stages", [(4, 1), (4, 3), (8, 2)])
def test_promises_are_statements(rng, warps, stages):
    sizes = [(128, 64, 96), (64, 128, 32), (64, 64, 160)]
    table, places = [], np.zeros(3, np.int64)
    for M, N, K in sizes:
        table.append([M, N, K, *places, 0, 0])
        places += [M * K, K * N, M * N]
    a, b = (rng.standard_normal(place).astype(np.float16) for place in places[:2])
    c = np.zeros(places[2], np.float32)
    table_kernel[(3,)](np.asarray(table, np.int64), a, b, c, len(sizes), 64, 64, 32, num_warps=warps, num_stages=stages)
    for M, N, K, at_a, at_b, at_c, *_ in table:
        exact = (a[at_a:at_a + M * K].reshape(M, K).astype(np.float64) @
                 b[at_b:at_b + K * N].reshape(K, N).astype(np.float64))
        got = c[at_c:at_c + M * N].reshape(M, N)
        assert np.linalg.norm(got - exact) <= 2e-3 * np.linalg.norm(exact)


@tw.jit
def described_kernel(table, a, b, c, count, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a @ b.T of each problem by descriptors: rows begin at multiples of 16 bytes, and end anywhere."""
    tile, last = tl.program_id(0), 0
    for problem in range(count):
        row = table + problem * 8
        M, N, K = tl.load(row).to(tl.int32), tl.load(row + 1).to(tl.int32), tl.load(row + 2).to(tl.int32)
        tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
        if tile >= last and tile < last + tiles:
            x, y, z = a + tl.load(row + 3), b + tl.load(row + 4), c + tl.load(row + 5)
            length, length_c = tl.load(row + 6), tl.load(row + 7)
            x_blocks = tl.make_tensor_descriptor(x, [M, K], [length, 1], [BLOCK_M, BLOCK_K])
            y_blocks = tl.make_tensor_descriptor(y, [N, K], [length, 1], [BLOCK_N, BLOCK_K])
            blocks = tl.make_tensor_descriptor(z, [M, N], [length_c, 1], [BLOCK_M, BLOCK_N])
            while tile >= last and tile < last + tiles:
                i = (tile - last) // tl.cdiv(N, BLOCK_N) * BLOCK_M
                j = (tile - last) % tl.cdiv(N, BLOCK_N) * BLOCK_N
                total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
                for k in range(0, tl.cdiv(K, BLOCK_K)):
                    total += tl.dot(x_blocks.load([i, k * BLOCK_K]), y_blocks.load([j, k * BLOCK_K]).T)
                blocks.store([i, j], total)
                tile += tl.num_programs(0)
        last += tiles


@pytest.mark.parametrize("held", TYPES)
@pytest.mark.parametrize("warps, stages", [(4, 1), (4, 3), (8, 2)])
def test_rows_that_end_anywhere(rng, held, warps, stages, admits):
    if held != "float16" and not admits(tl.float8e4nv):
        pytest.skip("a type that is not there")
    sizes, table, places = [(70, 40, 77), (64, 64, 64), (16, 130, 131), (1, 9, 3)], [], np.zeros(3, np.int64)
    for M, N, K in sizes:
        rows = -(-K // 16) * 16, -(-N // 4) * 4
        table.append([M, N, K, *places, *rows])
        places += [M * rows[0], N * rows[0], M * rows[1]]
    a, b = (rng.standard_normal(place).astype(TYPES[held]) for place in places[:2])
    c = np.full(places[2], 7, np.float32)
    described_kernel[(2,)](np.asarray(table, np.int64), a, b, c, len(sizes), 64, 64, 64, num_warps=warps,
                           num_stages=stages)
    for M, N, K, at_a, at_b, at_c, row, row_c in table:
        x = a[at_a:at_a + M * row].reshape(M, row)[:, :K].astype(np.float64)
        y = b[at_b:at_b + N * row].reshape(N, row)[:, :K].astype(np.float64)
        got = c[at_c:at_c + M * row_c].reshape(M, row_c)
        assert np.linalg.norm(got[:, :N] - x @ y.T) <= 2e-3 * np.linalg.norm(x @ y.T)
        assert np.all(got[:, N:] == 7)
