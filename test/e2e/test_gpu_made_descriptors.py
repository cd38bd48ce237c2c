"""Products of arrays that a kernel finds in a table, by descriptors that it makes itself: sizes of any kind and none,
all ways to store, loops that share descriptors or have none to make, and the same bits in every run."""

from __future__ import annotations

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

SIZES = [(128, 128, 128), (16, 200, 72), (0, 64, 64), (200, 64, 256), (1, 8, 512), (70, 40, 0), (33, 0, 24),
         (65, 77, 13)]


def aligned(count: int) -> int:
    """The length of rows that begin at multiples of 16 bytes."""
    return -(-count // 8) * 8


class Problems:
    """Pairs of matrices in one array each, and the table that says where: M, N, K, the lengths of rows of c, of
    a and b, and where a, b and c begin."""

    def __init__(self, rng, sizes, held=np.float32) -> None:
        self.sizes = sizes
        rows, places = [], [0, 0, 0]
        for M, N, K in sizes:
            rows.append([M, N, K, aligned(N), aligned(K), *places])
            places[0] += M * aligned(K)
            places[1] += N * aligned(K)
            places[2] += aligned(M * aligned(N))
        self.table = np.asarray(rows, np.int64)
        self.a, self.b = (rng.standard_normal(max(8, place)).astype(np.float16) for place in places[:2])
        self.c = rng.standard_normal(max(8, places[2])).astype(held)

    def matrix(self, which: str, place: int, array: np.ndarray | None = None) -> np.ndarray:
        """One of a problem's matrices, in an array like the one that holds it."""
        M, N, K, row_c, row_a, *starts = self.table[place]
        rows, columns, length, start = {"a": (M, K, row_a, starts[0]), "b": (N, K, row_a, starts[1]),
                                        "c": (M, N, row_c, starts[2])}[which]
        held = getattr(self, which) if array is None else array
        return held[start:start + rows * length].reshape(rows, length)[:, :columns]

    def check(self, c: np.ndarray, way: str = "block", depth: int | None = None, tolerance: float = 2e-3) -> None:
        """Compare with numpy; what is between the matrices is as it was."""
        expected = self.c.astype(np.float64)
        for place in range(len(self.sizes)):
            exact = self.matrix("a", place).astype(np.float64) @ self.matrix("b", place).astype(np.float64).T
            self.matrix("c", place, expected)[:] = exact + (self.matrix("c", place) if way == "sum" else 0)
        for place in range(len(self.sizes)):
            got, exact = (self.matrix("c", place, array) for array in (c, expected))
            assert np.linalg.norm(got - exact) <= tolerance * max(np.linalg.norm(exact), 1e-30), self.sizes[place]
            self.matrix("c", place, c)[:] = self.matrix("c", place)
        assert np.array_equal(c, self.c), "written outside of the matrices"


@tw.jit
def grouped_kernel(table: tl.const, count, a, b, c, depth, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr, STAGES: tl.constexpr, WAY: tl.constexpr, PROMISE: tl.constexpr):
    """c = a @ b.T of each problem; of `depth` columns, or all where that is 0."""
    first, programs = tl.program_id(0), tl.num_programs(0)
    for problem in range(count):
        row = table + problem * 8
        M, N, K = tl.load(row).to(tl.int32), tl.load(row + 1).to(tl.int32), tl.load(row + 2).to(tl.int32)
        row_c, row_a = tl.load(row + 3), tl.load(row + 4)
        at_a, at_b, at_c = tl.load(row + 5), tl.load(row + 6), tl.load(row + 7)
        if PROMISE:
            row_c, row_a = tl.multiple_of(row_c, 8), tl.multiple_of(row_a, 8)
            at_a, at_b, at_c = tl.multiple_of(at_a, 8), tl.multiple_of(at_b, 8), tl.multiple_of(at_c, 8)
        x_blocks = tl.make_tensor_descriptor(a + at_a, [M, K], [row_a, 1], [BLOCK_M, BLOCK_K])
        y_blocks = tl.make_tensor_descriptor(b + at_b, [N, K], [row_a, 1], [BLOCK_N, BLOCK_K])
        blocks = tl.make_tensor_descriptor(c + at_c, [M, N], [row_c, 1], [BLOCK_M, BLOCK_N])
        columns = tl.cdiv(N, BLOCK_N)
        tiles = tl.cdiv(M, BLOCK_M) * columns
        end = depth if depth > 0 else K
        for tile in range(first, tiles, programs):
            i, j = tile // columns * BLOCK_M, tile % columns * BLOCK_N
            total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            for k in tl.range(0, end, BLOCK_K, num_stages=STAGES):
                total = tl.dot(x_blocks.load([i, k]), y_blocks.load([j, k]).T, total)
            if WAY == "block":
                blocks.store([i, j], total)
            if WAY == "sum":
                blocks.atomic_add([i, j], total)
            if WAY == "pointers":
                m, n = i + tl.arange(0, BLOCK_M), j + tl.arange(0, BLOCK_N)
                tl.store(c + at_c + m[:, None] * row_c + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))
        first = (first - tiles % programs + programs) % programs


def multiply(problems, programs=2, block=(64, 64, 64), warps=4, stages=3, way="block", depth=0, promise=True):
    """What the kernel makes of c."""
    c = problems.c.copy()
    sizes = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), block, strict=True))
    grouped_kernel[(programs,)](problems.table, len(problems.sizes), problems.a, problems.b, c, depth, **sizes,
                                STAGES=stages, WAY=way, PROMISE=promise, num_warps=warps)
    return c


@pytest.mark.parametrize("warps, block", [(4, (64, 64, 64)), (8, (128, 128, 64)), (4, (64, 32, 32))], ids=str)
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_problems_of_all_sizes(rng, stages, warps, block):
    problems = Problems(rng, SIZES)
    for programs in (1, 5):
        results = [multiply(problems, programs, block, warps, stages) for _ in range(2)]
        assert np.array_equal(*results), "runs differ: a race"
        problems.check(results[0])


@pytest.mark.parametrize("programs", [1, 3, 12])
@pytest.mark.parametrize("way", ["block", "sum", "pointers"])
def test_what_is_done_with_sums(rng, way, programs):
    problems = Problems(rng, SIZES)
    problems.check(multiply(problems, programs, way=way), way)


def test_arrays_without_columns_are_read_as_zeros(rng):
    """Loops that do not end where the array does: the padding is read, of empty arrays all of it."""
    problems = Problems(rng, [(64, 64, 0), (70, 72, 24), (16, 16, 64), (130, 8, 0)])
    problems.check(multiply(problems, depth=192))


def test_many_small_problems(rng):
    """Descriptors are made again at once, and for no copy at all."""
    sizes = [(int(M), int(N), int(K)) for M, N, K in rng.integers(0, 40, (24, 3))]
    problems = Problems(rng, sizes)
    for programs in (1, 4):
        problems.check(multiply(problems, programs, block=(64, 32, 32)))


def test_places_that_are_not_known_to_be_aligned(rng):
    problems = Problems(rng, SIZES)
    problems.check(multiply(problems, promise=False))


@tw.jit
def layers_kernel(table: tl.const, count, x, weights, out, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """out[l] = x @ w[l] @ w[l].T, where the table says where w[l] begins: two loops by one descriptor."""
    x_blocks = tl.make_tensor_descriptor(x, [BLOCK, 128], [128, 1], [BLOCK, 32])
    for layer in range(count):
        start = tl.multiple_of(tl.load(table + layer), 8)
        w_blocks = tl.make_tensor_descriptor(weights + start, [128, 64], [64, 1], [32, 64])
        total = tl.zeros((BLOCK, 64), tl.float32)
        for k in tl.range(0, 128, 32, num_stages=STAGES):
            total = tl.dot(x_blocks.load([0, k]), w_blocks.load([k, 0]), total)
        middle = total.to(tl.float16)
        out_blocks = tl.make_tensor_descriptor(out + layer * BLOCK * 128, [BLOCK, 128], [128, 1], [BLOCK, 32])
        for k in tl.range(0, 128, 32, num_stages=STAGES):
            out_blocks.store([0, k], tl.dot(middle, w_blocks.load([k, 0]).T))


@pytest.mark.parametrize("stages", [1, 2, 4])
def test_two_loops_by_one_descriptor(rng, stages):
    x, weights = (rng.standard_normal(shape).astype(np.float16) for shape in ((64, 128), (5, 128, 64)))
    table = np.asarray([3, 0, 4, 4, 1], np.int64)
    out = np.zeros((5, 64, 128), np.float32)
    layers_kernel[(1,)](table * 128 * 64, 5, x, weights, out, BLOCK=64, STAGES=stages, num_warps=4)
    for layer, place in enumerate(table):
        w = weights[place].astype(np.float64)
        middle = (x.astype(np.float64) @ w).astype(np.float16).astype(np.float64)
        exact = middle @ w.T
        assert np.linalg.norm(out[layer] - exact) <= 5e-3 * np.linalg.norm(exact)
