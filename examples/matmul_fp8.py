"""Products of 8-bit floats: with one scale for each array, or with scales for blocks of them."""

import ml_dtypes
import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty_like, on_device, parse_device, report
from tiles import describe, grouped_tile, programs

GROUP = 128  # values of k, and rows of b, with a scale in common


@tw.jit
def scaled_kernel(a, b, c, a_scale, b_scale, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, IMPRECISE: tl.constexpr, FLATTEN: tl.constexpr):
    """c = a @ b.T, scaled; sums of at most IMPRECISE products may be kept as roughly as the machine likes."""
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    scale = tl.load(a_scale) * tl.load(b_scale)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=FLATTEN):
        tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
        row, column = tile_m * BLOCK_M, tile_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            total = tl.dot(a.load([row, k]), b.load([column, k]).T, total, max_num_imprecise_acc=IMPRECISE)
        c.store([row, column], (total * scale).to(c.dtype))


@tw.jit
def block_scaled_kernel(a, b, c, a_scales, b_scales, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                        GROUP: tl.constexpr, GROUP_M: tl.constexpr, FLATTEN: tl.constexpr):
    """c = a @ b.T, where the products of each GROUP values of k are summed by the machine, then scaled and added in
    full precision."""
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=FLATTEN):
        tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
        row, column = tile_m * BLOCK_M, tile_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, GROUP):
            part = tl.dot(a.load([row, k]), b.load([column, k]).T)
            a_scale = tl.reshape(a_scales.load([k // GROUP, row]), (BLOCK_M,))
            b_scale = tl.load(b_scales + column // GROUP * tl.cdiv(K, GROUP) + k // GROUP)
            total += part * (a_scale * b_scale)[:, None]
        c.store([row, column], total.to(c.dtype))


def matmul(a, b, c, a_scale, b_scale, BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, GROUP_M=8, IMPRECISE=None, FLATTEN=False,
           **options):
    """c = a @ b.T * a_scale * b_scale; the scales are arrays of one number."""
    (M, K), (N, _) = a.shape, b.shape
    scaled_kernel[(programs(a, tw.cdiv(M, BLOCK_M) * tw.cdiv(N, BLOCK_N)),)](
        describe(a, BLOCK_M, BLOCK_K), describe(b, BLOCK_N, BLOCK_K), describe(c, BLOCK_M, BLOCK_N), a_scale, b_scale,
        M, N, K, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K, GROUP_M=GROUP_M, IMPRECISE=IMPRECISE,
        FLATTEN=FLATTEN, **options)
    return c


def block_scaled_matmul(a, b, c, a_scales, b_scales, BLOCK_M=64, BLOCK_N=64, GROUP_M=8, FLATTEN=False, **options):
    """c = a @ b.T; a_scales (K / 128, M) for each 128 values of a row of a, b_scales (N / 128, K / 128) for each
    128 x 128 of b. BLOCK_N divides 128."""
    (M, K), (N, _) = a.shape, b.shape
    block_scaled_kernel[(programs(a, tw.cdiv(M, BLOCK_M) * tw.cdiv(N, BLOCK_N)),)](
        describe(a, BLOCK_M, GROUP), describe(b, BLOCK_N, GROUP), describe(c, BLOCK_M, BLOCK_N),
        describe(a_scales, 1, BLOCK_M), b_scales, M, N, K, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, GROUP=GROUP,
        GROUP_M=GROUP_M, FLATTEN=FLATTEN, **options)
    return c


def quantize(x, rows, columns):
    """Values of 8 bits, and a scale for each block of `rows` x `columns`; the last blocks may be smaller."""
    largest = float(ml_dtypes.finfo(ml_dtypes.float8_e4m3fn).max)
    blocks = np.arange(0, x.shape[0], rows), np.arange(0, x.shape[1], columns)
    scales = np.maximum.reduceat(np.maximum.reduceat(np.abs(x), blocks[0], axis=0), blocks[1], axis=1) / largest
    wide = scales.repeat(rows, axis=0)[:x.shape[0]].repeat(columns, axis=1)[:, :x.shape[1]]
    values = (x / wide).astype(ml_dtypes.float8_e4m3fn)
    return values, scales.astype(np.float32), values.astype(np.float64) * wide


def main() -> None:
    parse_device(__doc__)
    for M, N, K in [(128, 128, 256), (100, 200, 272)]:
        x, y = np.random.randn(M, K), np.random.randn(N, K)
        output = on_device(np.empty((M, N), np.float16))

        a, a_scale, a_exact = quantize(x, M, K)
        b, b_scale, b_exact = quantize(y, N, K)
        arrays = [on_device(array) for array in (a, b, a_scale, b_scale)]
        for imprecise in (None, 64):
            result = matmul(*arrays[:2], empty_like(output), *arrays[2:], IMPRECISE=imprecise)
            report(f"fp8 matmul {M}x{N}x{K}, sums of {imprecise or 'any'} products", result, a_exact @ b_exact.T, 1e-3)

        a, a_scales, a_exact = quantize(x, 1, GROUP)
        b, b_scales, b_exact = quantize(y, GROUP, GROUP)
        arrays = [on_device(array) for array in (a, b, np.ascontiguousarray(a_scales.T), b_scales)]
        result = block_scaled_matmul(*arrays[:2], empty_like(output), *arrays[2:])
        report(f"block-scaled fp8 matmul {M}x{N}x{K}", result, a_exact @ b_exact.T, 1e-3)


if __name__ == "__main__":
    main()
