"""Matrix product by tensor descriptors: a program for each multiprocessor, which takes tile after tile.

The descriptors are made by the host, or in the kernel where only pointers are at hand.
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty_like, on_device, parse_device, report
from tiles import describe, grouped_tile, programs


@tw.jit
def multiply_tiles(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                   GROUP_M: tl.constexpr, TRANSPOSED: tl.constexpr, PARTS: tl.constexpr, FLATTEN: tl.constexpr):
    """Every num_programs-th tile of c = a @ b; b is given by columns (N rows of K) if TRANSPOSED."""
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=FLATTEN):
        tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
        row, column = tile_m * BLOCK_M, tile_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            x = a.load([row, k])
            y = b.load([column, k]).T if TRANSPOSED else b.load([k, column])
            total = tl.dot(x, y, total)
        # A tile in two parts needs half of the memory on the way out, which loads of the next tile can use.
        if PARTS == 1:
            c.store([row, column], total.to(c.dtype))
        else:
            left, right = tl.split(tl.permute(tl.reshape(total, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1)))
            c.store([row, column], left.to(c.dtype))
            c.store([row, column + BLOCK_N // 2], right.to(c.dtype))


@tw.jit
def described_kernel(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                     GROUP_M: tl.constexpr, TRANSPOSED: tl.constexpr, PARTS: tl.constexpr, FLATTEN: tl.constexpr):
    multiply_tiles(a, b, c, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M, TRANSPOSED, PARTS, FLATTEN)


@tw.jit
def pointer_kernel(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                   GROUP_M: tl.constexpr, TRANSPOSED: tl.constexpr, PARTS: tl.constexpr, FLATTEN: tl.constexpr):
    a_tiles = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    if TRANSPOSED:
        b_tiles = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    else:
        b_tiles = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    c_tiles = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N // PARTS])
    multiply_tiles(a_tiles, b_tiles, c_tiles, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M, TRANSPOSED, PARTS, FLATTEN)


def matmul(a, b, c, transposed=True, described=True, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=8, PARTS=1,
           FLATTEN=False, **options):
    """c = a @ b.T, or a @ b if not transposed; rows begin at multiples of 16 bytes."""
    (M, K), N, arrays = a.shape, c.shape[1], (a, b, c)
    if described:
        b_block = (BLOCK_N, BLOCK_K) if transposed else (BLOCK_K, BLOCK_N)
        arrays = describe(a, BLOCK_M, BLOCK_K), describe(b, *b_block), describe(c, BLOCK_M, BLOCK_N // PARTS)
    kernel = described_kernel if described else pointer_kernel
    kernel[(programs(a, tw.cdiv(M, BLOCK_M) * tw.cdiv(N, BLOCK_N), options.get("num_ctas", 1)),)](
        *arrays, M, N, K, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K, GROUP_M=GROUP_M, TRANSPOSED=transposed,
        PARTS=PARTS, FLATTEN=FLATTEN, **options)
    return c


def main() -> None:
    parse_device(__doc__)
    for M, N, K in [(256, 256, 256), (300, 200, 136)]:
        for transposed, described, parts in [(True, True, 1), (False, True, 2), (True, False, 2), (False, False, 1)]:
            a = np.random.randn(M, K).astype(np.float16)
            b = np.random.randn(*(N, K) if transposed else (K, N)).astype(np.float16)
            c = empty_like(on_device(np.empty((M, N), np.float16)))
            result = matmul(on_device(a), on_device(b), c, transposed, described, PARTS=parts)
            name = f"{M}x{N}x{K}, b by {'columns' if transposed else 'rows'}, {parts} part(s)"
            report(f"matmul {name}, {'host' if described else 'device'} descriptors", result,
                   a.astype(np.float64) @ (b.T if transposed else b), 1e-3)


if __name__ == "__main__":
    main()
