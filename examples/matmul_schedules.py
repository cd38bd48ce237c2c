"""Ways to share a matrix product among programs where tiles alone do not: split-K, stream-K, tiles in the order of
arrival. Sums over parts of k pass through a workspace and are added in a fixed order: runs agree in every bit.
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty, empty_like, on_device, parse_device, processors, report
from tiles import describe, grouped_tile, programs


@tw.jit
def multiply(a, b, row, column, first, last, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """The tile of a @ b.T at a row and column, over the blocks first to last of k."""
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(first, last):
        total = tl.dot(a.load([row, step * BLOCK_K]), b.load([column, step * BLOCK_K]).T, total)
    return total


@tw.jit
def part_places(part, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Where a part of a tile is in the workspace."""
    return part * (BLOCK_M * BLOCK_N) + tl.arange(0, BLOCK_M)[:, None] * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]


@tw.jit
def store_tile(c, row, column, total, TRANSPOSED: tl.constexpr):
    """Write a tile of the product; TRANSPOSED: c holds its transpose."""
    if TRANSPOSED:
        c.store([column, row], total.T.to(c.dtype))
    else:
        c.store([row, column], total.to(c.dtype))


@tw.jit
def store_sum(c, row, column, total, workspace, counters, tile, split, TRANSPOSED: tl.constexpr, SPLITS: tl.constexpr,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Write the sum of a tile's parts: the program that comes last adds and writes them."""
    if SPLITS == 1:
        store_tile(c, row, column, total, TRANSPOSED)
    else:
        tl.store(workspace + part_places(tile * SPLITS + split, BLOCK_M, BLOCK_N), total)
        tl.debug_barrier()  # the part is complete before it is counted
        if tl.atomic_add(counters + tile, 1) == SPLITS - 1:
            total = tl.load(workspace + part_places(tile * SPLITS, BLOCK_M, BLOCK_N))
            for other in range(1, SPLITS):
                total += tl.load(workspace + part_places(tile * SPLITS + other, BLOCK_M, BLOCK_N))
            store_tile(c, row, column, total, TRANSPOSED)
            tl.store(counters + tile, 0)  # ready for the next launch


@tw.jit
def split_kernel(a, b, c, workspace, counters, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                 BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, TRANSPOSED: tl.constexpr, SPLITS: tl.constexpr):
    """SPLITS programs for each tile."""
    tile, split = tl.program_id(0), tl.program_id(1)
    tile_m, tile_n = grouped_tile(tile, tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    row, column, steps = tile_m * BLOCK_M, tile_n * BLOCK_N, tl.cdiv(K, BLOCK_K)
    total = multiply(a, b, row, column, split * steps // SPLITS, (split + 1) * steps // SPLITS, BLOCK_M, BLOCK_N,
                     BLOCK_K)
    store_sum(c, row, column, total, workspace, counters, tile, split, TRANSPOSED, SPLITS, BLOCK_M, BLOCK_N)


@tw.jit
def stream_kernel(a, b, c, workspace, flags, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, TRANSPOSED: tl.constexpr):
    """All steps of all tiles in one sequence, of which each program takes an equal share. The program that has a tile's
    last step adds the others' parts: they are earlier programs, which compute these parts before all else."""
    tiles_m, tiles_n, steps = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), tl.cdiv(K, BLOCK_K)
    program, count, work = tl.program_id(0), tl.num_programs(0), tiles_m * tiles_n * steps
    start, stop = program * work // count, (program + 1) * work // count
    last_tile = (stop - 1) // steps
    for index in range(0, last_tile - start // steps + 1):
        tile = last_tile - index
        first, last = max(start - tile * steps, 0), min(stop - tile * steps, steps)
        tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
        row, column = tile_m * BLOCK_M, tile_n * BLOCK_N
        total = multiply(a, b, row, column, first, last, BLOCK_M, BLOCK_N, BLOCK_K)
        if last < steps:
            tl.store(workspace + part_places(program, BLOCK_M, BLOCK_N), total)
            tl.debug_barrier()
            tl.atomic_xchg(flags + program, 1)
        else:
            first_owner = ((tile * steps + 1) * count - 1) // work  # of the tile's first step
            for other in range(first_owner, program):
                while tl.atomic_cas(flags + other, 1, 0) != 1:  # taken back for the next launch
                    pass
                total += tl.load(workspace + part_places(other, BLOCK_M, BLOCK_N))
            store_tile(c, row, column, total, TRANSPOSED)


@tw.jit
def dynamic_kernel(a, b, c, counters, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                   GROUP_M: tl.constexpr, TRANSPOSED: tl.constexpr):
    """Each program takes the next tile that nobody has, until there is none."""
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    tile = tl.atomic_add(counters, 1)
    while tile < tiles_m * tiles_n:
        tile_m, tile_n = grouped_tile(tile, tiles_m, tiles_n, GROUP_M)
        row, column = tile_m * BLOCK_M, tile_n * BLOCK_N
        total = multiply(a, b, row, column, 0, tl.cdiv(K, BLOCK_K), BLOCK_M, BLOCK_N, BLOCK_K)
        store_tile(c, row, column, total, TRANSPOSED)
        tile = tl.atomic_add(counters, 1)
    if tl.atomic_add(counters + 1, 1) == tl.num_programs(0) - 1:  # the last one leaves them for the next launch
        tl.store(counters, 0)
        tl.store(counters + 1, 0)


def matmul(a, b, c, counters, schedule="split", transposed=False, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=8,
           SPLITS=4, **options):
    """c = a @ b.T, or its transpose if transposed. The counters are zeros of type int32, as many as tiles and programs,
    and are zeros again when the kernel is done."""
    (M, K), (N, _) = a.shape, b.shape
    tiles = tw.cdiv(M, BLOCK_M) * tw.cdiv(N, BLOCK_N)
    block = (BLOCK_N, BLOCK_M) if transposed else (BLOCK_M, BLOCK_N)
    arrays = describe(a, BLOCK_M, BLOCK_K), describe(b, BLOCK_N, BLOCK_K), describe(c, *block)
    options = {"BLOCK_M": BLOCK_M, "BLOCK_N": BLOCK_N, "BLOCK_K": BLOCK_K, "GROUP_M": GROUP_M,
               "TRANSPOSED": transposed, **options}
    if schedule == "split":
        workspace = empty((tiles * SPLITS * BLOCK_M * BLOCK_N,), "float32", like=a)
        split_kernel[(tiles, SPLITS)](*arrays, workspace, counters, M, N, K, SPLITS=SPLITS, **options)
    elif schedule == "stream":
        count = min(processors(a), tiles * tw.cdiv(K, BLOCK_K))
        workspace = empty((count * BLOCK_M * BLOCK_N,), "float32", like=a)
        stream_kernel[(count,)](*arrays, workspace, counters, M, N, K, **options)
    else:
        dynamic_kernel[(programs(a, tiles),)](*arrays, counters, M, N, K, **options)
    return c


def multiply_few(x, weights, y, counters, BLOCK_M=16, BLOCK_N=64, BLOCK_K=64, SPLITS=4, **options):
    """y = x @ weights.T for a few rows of x. The weights are the left operand, whose tiles have many rows; the whole
    matrix of weights is read at once by parts of k."""
    return matmul(weights, x, y, counters, "split", True, BLOCK_N, BLOCK_M, BLOCK_K, SPLITS=SPLITS, **options)


def main() -> None:
    parse_device(__doc__)
    counters = on_device(np.zeros(1024, np.int32))
    for M, N, K in [(64, 128, 1024), (200, 136, 520)]:
        a, b = np.random.randn(M, K).astype(np.float16), np.random.randn(N, K).astype(np.float16)
        c = on_device(np.empty((M, N), np.float16))
        for schedule in ("split", "stream", "dynamic"):
            for _ in range(2):  # the second launch finds the counters as the first one left them
                result = matmul(on_device(a), on_device(b), empty_like(c), counters, schedule)
                report(f"{schedule} matmul {M}x{N}x{K}", result, a.astype(np.float64) @ b.T, 1e-3)
    for M in (1, 13):
        x, weights = np.random.randn(M, 512).astype(np.float16), np.random.randn(256, 512).astype(np.float16)
        y = empty_like(on_device(np.empty((M, 256), np.float16)))
        report(f"matmul of {M} row(s)", multiply_few(on_device(x), on_device(weights), y, counters),
               x.astype(np.float64) @ weights.T, 1e-3)


if __name__ == "__main__":
    main()
