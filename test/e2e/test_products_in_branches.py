"""Loops of products in branches and loops whose ends programs compute: some programs have none, some have several."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


def assert_close(result, expected):
    np.testing.assert_allclose(result, expected, rtol=2e-3, atol=2e-2)


@tw.jit
def sum_of_products(a, b, m, n, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                    SCALED: tl.constexpr):
    """A tile of a @ b.T, by pointers; `SCALED`: an iteration computes with its product."""
    depth = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(a + m[:, None] * K + k + depth[None, :], mask=(m[:, None] < M) & (depth[None, :] < K - k), other=0)
        y = tl.load(b + n[None, :] * K + k + depth[:, None], mask=(n[None, :] < N) & (depth[:, None] < K - k), other=0)
        if SCALED:
            total += tl.dot(x, y) * 0.5
        else:
            total = tl.dot(x, y, total)
    return total


@tw.jit
def store_tile(c, total, m, n, M, N):
    tl.store(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@tw.jit
def returning_kernel(a, b, c, wanted, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                     SCALED: tl.constexpr):
    """Programs that a table does not want end at once; those of 2 store zeros first."""
    kind = tl.load(wanted + tl.program_id(0))
    if kind == 0:
        return
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    if kind == 2:
        store_tile(c, tl.zeros((BLOCK_M, BLOCK_N), tl.float32), m, n, M, N)
        return
    store_tile(c, sum_of_products(a, b, m, n, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, SCALED), m, n, M, N)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("warps, stages", [(4, 3), (8, 1), (8, 3)])
def test_programs_that_return(rng, scaled, warps, stages):
    M, N, K, rows = 512, 144, 80, 128
    a, b = rng.standard_normal((M, K)).astype(np.float16), rng.standard_normal((N, K)).astype(np.float16)
    wanted = np.array([1, 0, 2, 1], np.int32)
    c = np.full((M, N), 7, np.float32)
    returning_kernel[(M // rows, 2)](a, b, c, wanted, M, N, K, BLOCK_M=rows, BLOCK_N=128, BLOCK_K=64, SCALED=scaled,
                                     num_warps=warps, num_stages=stages)
    expected = a.astype(np.float64) @ b.T.astype(np.float64) * (0.5 if scaled else 1)
    expected[128:256], expected[256:384] = 7, 0
    assert_close(c, expected)


@tw.jit
def chosen_kernel(a, b, c, kinds, M, N, K, tiles, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Tiles one after the other: of kind 0 zeros, of 1 a product, of 2 a scaled one, of 3 both."""
    n = tl.arange(0, BLOCK_N)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        m = tile * BLOCK_M + tl.arange(0, BLOCK_M)
        kind = tl.load(kinds + tile)
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        if kind % 2 == 1:
            total = sum_of_products(a, b, m, n, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, False)
        if kind >= 2:
            total += sum_of_products(a, b, m, n, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, True)
        store_tile(c, total, m, n, M, N)


@pytest.mark.parametrize("warps, stages", [(4, 2), (8, 2), (8, 3)])
def test_loops_in_branches_of_a_loop(rng, warps, stages):
    tiles, rows, N, K = 7, 128, 128, 144
    M = tiles * rows - 5
    a, b = rng.standard_normal((M, K)).astype(np.float16), rng.standard_normal((N, K)).astype(np.float16)
    kinds = np.array([0, 1, 2, 3, 0, 3, 1], np.int32)
    c = np.full((M, N), 7, np.float32)
    chosen_kernel[(2,)](a, b, c, kinds, M, N, K, tiles, BLOCK_M=rows, BLOCK_N=128, BLOCK_K=64, num_warps=warps,
                        num_stages=stages)
    factors = np.array([0, 1, 0.5, 1.5])[kinds].repeat(rows)[:M, None]
    assert_close(c, a.astype(np.float64) @ b.T.astype(np.float64) * factors)


@tw.jit
def described_kernel(a, b, c, wanted, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Blocks by descriptors that the program makes, in programs that the table wants."""
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    right = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    out = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    if tl.load(wanted + tl.program_id(0)) == 0:
        return
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        total = tl.dot(left.load([m, k]), right.load([n, k]).T, total)
    out.store([m, n], total)


@pytest.mark.parametrize("warps, stages", [(4, 3), (8, 2)])
def test_programs_with_descriptors_that_return(rng, warps, stages):
    M, N, K = 300, 128, 96
    a, b = rng.standard_normal((M, K)).astype(np.float16), rng.standard_normal((N, K)).astype(np.float16)
    c = np.full((M, N), 7, np.float32)
    described_kernel[(3, 1)](a, b, c, np.array([1, 0, 1], np.int32), M, N, K, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64,
                             num_warps=warps, num_stages=stages)
    expected = a.astype(np.float64) @ b.T.astype(np.float64)
    expected[128:256] = 7
    assert_close(c, expected)


@tw.jit
def groups_kernel(a, b, c, begins, groups, M, N, K, FORM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr):
    """Groups of rows, whose tiles the programs share: a program goes on where it is in the next group."""
    n = tl.arange(0, BLOCK_N)
    tile = tl.program_id(0)
    last = 0
    for group in range(groups):
        begin, end = tl.load(begins + group), tl.load(begins + group + 1)
        tiles = tl.cdiv(end - begin, BLOCK_M)
        if tile >= last and tile < last + tiles:
            if FORM == "descriptors":
                left = tl.make_tensor_descriptor(a + begin * K, [end - begin, K], [K, 1], [BLOCK_M, BLOCK_K])
                right = tl.make_tensor_descriptor(b + group * N * K, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
            while tile >= last and tile < last + tiles:
                first = (tile - last) * BLOCK_M
                m = begin + first + tl.arange(0, BLOCK_M)
                if FORM == "descriptors":
                    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
                    for k in range(0, K, BLOCK_K):
                        total = tl.dot(left.load([first, k]), right.load([0, k]).T, total)
                else:
                    total = sum_of_products(a, b + group * N * K, m, n, end, N, K, BLOCK_M, BLOCK_N, BLOCK_K, False)
                store_tile(c, total, m, n, end, N)
                tile += tl.num_programs(0)
        last += tiles


@pytest.mark.parametrize("form", ["pointers", "descriptors"])
@pytest.mark.parametrize("warps, stages", [(4, 3), (8, 2), (8, 3)])
def test_tiles_of_groups(rng, form, warps, stages):
    begins, N, K = np.array([0, 128, 128, 500, 516, 900], np.int32), 128, 144
    M, groups = int(begins[-1]), len(begins) - 1
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((M, K), (groups, N, K)))
    for programs in (1, 3):
        c = np.full((M, N), 7, np.float32)
        groups_kernel[(programs,)](a, b, c, begins, groups, M, N, K, FORM=form, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64,
                                   num_warps=warps, num_stages=stages)
        rows = [a[begin:end].astype(np.float64) for begin, end in zip(begins[:-1], begins[1:], strict=True)]
        assert_close(c, np.concatenate([x @ y.T.astype(np.float64) for x, y in zip(rows, b, strict=True)]))
