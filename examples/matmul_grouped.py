"""Products of many pairs of matrices in one launch: each program takes every n-th tile of all of them."""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty_like, on_device, parse_device, processors, report


@tw.jit
def array_at(address, type: tl.constexpr):
    """The array of a pointer type whose address an entry of the table is."""
    return tl.multiple_of(tl.load(address).to(type), 16)


@tw.jit
def grouped_kernel(problems: tl.const, count, types, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr):
    """c = a @ b.T of each problem: three addresses and three sizes. `types` is not read: it has the elements' type.

    What is only read is `const`: so blocks of one tile are fetched while another one is stored.
    """
    source: tl.constexpr = tl.pointer_type(types.dtype.element_ty, 1, True)
    first = tl.program_id(0)
    programs = tl.num_programs(0)
    for problem in range(count):
        row = problems + problem * 6
        M = tl.load(row + 3).to(tl.int32)
        N = tl.multiple_of(tl.load(row + 4).to(tl.int32), 8)
        K = tl.multiple_of(tl.load(row + 5).to(tl.int32), 8)
        tiles_n = tl.cdiv(N, BLOCK_N)
        tiles = tl.cdiv(M, BLOCK_M) * tiles_n
        a = tl.make_tensor_descriptor(array_at(row, source), [M, K], [K, 1], [BLOCK_M, BLOCK_K])
        b = tl.make_tensor_descriptor(array_at(row + 1, source), [N, K], [K, 1], [BLOCK_N, BLOCK_K])
        c = tl.make_tensor_descriptor(array_at(row + 2, types.dtype), [M, N], [N, 1], [BLOCK_M, BLOCK_N])
        following = first
        for tile in range(first, tiles, programs):
            m, n = tile // tiles_n * BLOCK_M, tile % tiles_n * BLOCK_N
            total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
            for k in range(0, K, BLOCK_K):
                total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
            c.store([m, n], total.to(c.dtype))
            following = tile + programs
        first = following - tiles  # the next problem's begin where those of this one end


def describe_problems(groups, on_device=on_device):
    """The table that the kernel reads, of (a, b, c): a (M, K), b (N, K), c (M, N), whose rows begin at multiples of 16
    bytes."""
    def address(array):
        return array.ctypes.data if isinstance(array, np.ndarray) else array.data_ptr()

    rows = [[*map(address, group), *group[2].shape, group[0].shape[1]] for group in groups]
    return on_device(np.array(rows, np.int64))


def matmul(problems, count, types, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, **options):
    """Compute all problems of a table; `types` is one of the arrays in it."""
    grouped_kernel[(processors(types),)](problems, count, types, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K,
                                         **options)


def main() -> None:
    parse_device(__doc__)
    sizes = [(128, 128, 128), (16, 200, 72), (0, 64, 64), (200, 64, 256), (1, 8, 512)]
    inputs = [(np.random.randn(M, K).astype(np.float16), np.random.randn(N, K).astype(np.float16)) for M, N, K in sizes]
    groups = [(on_device(a), on_device(b), empty_like(on_device(np.empty((a.shape[0], b.shape[0]), np.float16))))
              for a, b in inputs]
    matmul(describe_problems(groups), len(groups), groups[0][0])
    for (a, b), (*_, c) in zip(inputs, groups, strict=True):
        report(f"grouped matmul {a.shape[0]}x{b.shape[0]}x{a.shape[1]}", c, a.astype(np.float64) @ b.T, 1e-3)


if __name__ == "__main__":
    main()
