"""Products by descriptors, whose blocks a GPU may copy by a thread of its own: types, orders, loops of any length,
stages, persistent programs, what is done with the results, and what the program orders; the same bits in every run."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.tools.tensor_descriptor import TensorDescriptor

BF16, E4M3, E5M2 = (np.dtype(getattr(ml_dtypes, name)) for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"))
TYPES = {"float16": np.dtype("float16"), "bfloat16": BF16, "float8_e4m3fn": E4M3, "float8_e5m2": E5M2,
         "int8": np.dtype("int8"), "float32": np.dtype("float32"), "float64": np.dtype("float64")}
SUMS = {"int8": (np.int32, tl.int32), "float64": (np.float64, tl.float64)}
TOLERANCES = {"int8": 0, "float64": 1e-13, "bfloat16": 1e-2}


def error(result: np.ndarray, expected: np.ndarray) -> float:
    """‖result − expected‖ / ‖expected‖, in float64."""
    difference = np.linalg.norm(result.astype(np.float64) - expected)
    return float(difference / max(np.linalg.norm(expected), 1e-30))


def operand(rng, rows: int, columns: int, dtype=np.float16, transposed: bool = False) -> np.ndarray:
    """Random numbers, stored by columns where `transposed`."""
    dtype = np.dtype(dtype)
    shape = (columns, rows) if transposed else (rows, columns)
    values = rng.integers(-128, 128, shape) if dtype.kind == "i" else rng.standard_normal(shape)
    return values.astype(np.float32).astype(dtype)


def oriented(array: np.ndarray, transposed: bool) -> np.ndarray:
    return (array.T if transposed else array).astype(np.float64)


@tw.jit
def finish(c, blocks, halves, i, j, M, N, total, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WAY: tl.constexpr):
    """Write a block of sums."""
    if WAY == "block":
        blocks.store([i, j], total)
    if WAY == "sum":
        blocks.atomic_add([i, j], total)
    if WAY == "halves":
        left, right = tl.split(tl.permute(tl.reshape(total, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1)))
        halves.store([i, j], left)
        halves.store([i, j + BLOCK_N // 2], right)
    if WAY == "pointers":
        m, n = i + tl.arange(0, BLOCK_M), j + tl.arange(0, BLOCK_N)
        tl.store(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@tw.jit
def product_kernel(a, b, c, M, N, K, depth, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                   TURN_A: tl.constexpr, TURN_B: tl.constexpr, SUM: tl.constexpr, WAY: tl.constexpr,
                   STAGES: tl.constexpr):
    """Every num_programs-th block of c = a @ b, over the first `depth` columns of a."""
    if TURN_A:
        x_blocks = tl.make_tensor_descriptor(a, [K, M], [M, 1], [BLOCK_K, BLOCK_M])
    else:
        x_blocks = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    if TURN_B:
        y_blocks = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    else:
        y_blocks = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    blocks = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    halves = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N // 2])
    columns = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * columns, tl.num_programs(0)):
        i, j = tile // columns * BLOCK_M, tile % columns * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), SUM)
        for k in tl.range(0, depth, BLOCK_K, num_stages=STAGES):
            x = x_blocks.load([k, i]).T if TURN_A else x_blocks.load([i, k])
            y = y_blocks.load([j, k]).T if TURN_B else y_blocks.load([k, j])
            total = tl.dot(x, y, total)
        finish(c, blocks, halves, i, j, M, N, total, BLOCK_M, BLOCK_N, WAY)


def multiply(a, b, order="nn", block=(64, 64, 64), depth=None, warps=4, stages=3, programs=2, way="block", start=None):
    """What `product_kernel` makes of `start`."""
    (M, K), (_, N) = oriented(a, order[0] == "t").shape, oriented(b, order[1] == "t").shape
    held, total = SUMS.get(a.dtype.name, (np.float32, tl.float32))
    c = np.full((M, N), 77, held) if start is None else start.copy()
    sizes = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), block, strict=True))
    product_kernel[(programs,)](a, b, c, M, N, K, K if depth is None else depth, **sizes, TURN_A=order[0] == "t",
                                TURN_B=order[1] == "t", SUM=total, WAY=way, STAGES=stages, num_warps=warps)
    return c


@pytest.mark.parametrize("order", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("name", TYPES)
def test_types_in_every_order(rng, admits, name, order):
    if name.startswith("float8") and not admits(tl.float8e5 if name == "float8_e5m2" else tl.float8e4nv):
        pytest.skip("not a type there")
    for M, N, K in ((128, 64, 128), (112, 144, 80)):
        a = operand(rng, M, K, TYPES[name], order[0] == "t")
        b = operand(rng, K, N, TYPES[name], order[1] == "t")
        expected = oriented(a, order[0] == "t") @ oriented(b, order[1] == "t")
        assert error(multiply(a, b, order), expected) <= TOLERANCES.get(name, 2e-3)


@pytest.mark.parametrize("warps, block", [(4, (64, 64, 64)), (8, (128, 128, 64)), (4, (192, 96, 32)),
                                          (8, (128, 160, 64))], ids=str)
@pytest.mark.parametrize("stages", [1, 2, 3, 4, 5])
def test_loops_of_any_length(rng, stages, warps, block):
    a, b = operand(rng, 200, 328), operand(rng, 328, 168)
    for depth in (0, 8, 64, 328):
        results = [multiply(a, b, block=block, depth=depth, warps=warps, stages=stages) for _ in range(2)]
        exact = a.astype(np.float64)
        exact[:, -(-depth // block[2]) * block[2]:] = 0
        assert error(results[0], exact @ b.astype(np.float64)) <= 2e-3
        assert np.array_equal(*results), "runs differ: a race"


# Warps below each other, side by side, and with rows of several places of a block.
SHAPES = [((64, 64, 64), 4), ((128, 64, 64), 8), ((64, 256, 32), 8), ((256, 64, 32), 4), ((32, 64, 32), 4),
          ((192, 64, 32), 12), ((192, 64, 32), 8), ((192, 128, 64), 4)]


@pytest.mark.parametrize("programs", [1, 3, 12])
@pytest.mark.parametrize("way", ["block", "sum", "halves", "pointers"])
@pytest.mark.parametrize("block, warps", SHAPES, ids=str)
def test_what_is_done_with_sums(rng, block, warps, way, programs):
    a, b = operand(rng, 200, 136), operand(rng, 136, 168)
    start = rng.standard_normal((200, 168)).astype(np.float32)
    expected = a.astype(np.float64) @ b.astype(np.float64) + (start if way == "sum" else 0)
    for _ in range(2):
        result = multiply(a, b, block=block, warps=warps, way=way, programs=programs, start=start)
        assert error(result, expected) <= 2e-3


@tw.jit
def host_kernel(x_blocks, y_blocks, blocks, K):
    i, j = tl.program_id(0) * 64, tl.program_id(1) * 64
    total = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        x = x_blocks.load([i, k])
        total = tl.dot(tl.where(x == x, x, 0.5).to(tl.float16), y_blocks.load([k, j]), total)
    blocks.store([i, j], total)


@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_made_by_the_host(rng, padding):
    a, b, c = operand(rng, 120, 136), operand(rng, 192, 72), np.zeros((120, 72), np.float32)
    host_kernel[(2, 2)](TensorDescriptor(a, list(a.shape), [136, 1], [64, 64], padding),
                        *(TensorDescriptor.from_tensor(each, [64, 64]) for each in (b, c)), 136)
    exact = np.pad(a.astype(np.float64), ((0, 0), (0, 56)), constant_values=0.5 if padding == "nan" else 0)
    assert error(c, exact @ b.astype(np.float64)) <= 2e-3


@tw.jit
def attend(q_blocks, k_blocks, v_blocks, out_blocks, length, scale, HEAD: tl.constexpr, BLOCK_M: tl.constexpr,
           BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M
    rows = row + tl.arange(0, BLOCK_M)
    q = q_blocks.load([row, 0])
    largest, total = tl.full((BLOCK_M,), -float("inf"), tl.float32), tl.zeros((BLOCK_M,), tl.float32)
    sums = tl.zeros((BLOCK_M, HEAD), tl.float32)
    for start in range(0, tl.minimum(row + BLOCK_M, length) if CAUSAL else length, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        scores = tl.dot(q, k_blocks.load([start, 0]).T) * scale
        seen = columns[None, :] < length
        if CAUSAL:
            seen = seen & (columns[None, :] <= rows[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        larger = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - larger[:, None])
        fade = tl.exp2(largest - larger)
        total = total * fade + tl.sum(weights, 1)
        sums = tl.dot(weights.to(tl.float16), v_blocks.load([start, 0]), sums * fade[:, None])
        largest = larger
    out_blocks.store([row, 0], (sums / total[:, None]).to(tl.float16))


@pytest.mark.parametrize("options", [(128, 128, 8, 2), (128, 64, 8, 3), (64, 64, 4, 1), (64, 32, 4, 4),
                                     (192, 64, 12, 2)], ids=str)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("head", [64, 128])
def test_attention(rng, head, causal, options):
    block_m, block_n, warps, stages = options
    for length in (64, 200):
        q, k, v = (operand(rng, length, head) for _ in range(3))
        scores = q.astype(np.float64) @ k.astype(np.float64).T / head**0.5
        scores = np.where(np.tri(length, dtype=bool) | (not causal), scores, -np.inf)
        weights = np.exp(scores - scores.max(1, keepdims=True))
        expected = weights @ v.astype(np.float64) / weights.sum(1, keepdims=True)
        results = [np.zeros_like(q) for _ in range(2)]
        for out in results:
            blocks = [TensorDescriptor.from_tensor(each, [rows, head])
                      for each, rows in ((q, block_m), (k, block_n), (v, block_n), (out, block_m))]
            attend[(tw.cdiv(length, block_m),)](*blocks, length, 1.4426950408889634 / head**0.5, HEAD=head,
                                                BLOCK_M=block_m, BLOCK_N=block_n, CAUSAL=causal, num_warps=warps,
                                                num_stages=stages)
        assert error(results[0], expected) <= 2e-3
        assert np.array_equal(*results), "runs differ: a race"


@tw.jit
def around_kernel(a, b, q, o, c, s, K, SIDE: tl.constexpr):
    """Loads of one dot on both sides of a loop; a load that feeds two dots and sums."""
    x_blocks = tl.make_tensor_descriptor(a, [SIDE, K], [K, 1], [SIDE, SIDE])
    y_blocks = tl.make_tensor_descriptor(b, [K, SIDE], [SIDE, 1], [SIDE, SIDE])
    first = tl.make_tensor_descriptor(q, [SIDE, SIDE], [SIDE, 1], [SIDE, SIDE]).load([0, 0])
    total, other = tl.zeros((SIDE, SIDE), tl.float32), tl.zeros((SIDE, SIDE), tl.float32)
    squares = tl.zeros((SIDE,), tl.float32)
    for k in range(0, K, SIDE):
        x, y = x_blocks.load([0, k]), y_blocks.load([k, 0])
        total = tl.dot(x, y, total)
        other = tl.dot(x, first, other)
        squares += tl.sum(x.to(tl.float32) * x.to(tl.float32), 1)
    last = tl.make_tensor_descriptor(o, [SIDE, SIDE], [SIDE, 1], [SIDE, SIDE]).load([0, 0])
    i = tl.arange(0, SIDE)
    tl.store(c + i[:, None] * SIDE + i[None, :], tl.dot(first, last, total) + other)
    tl.store(s + i, squares)


@pytest.mark.parametrize("stages", [1, 2, 4])
def test_loads_around_loops(rng, stages):
    a, b, q, o = (operand(rng, *shape) for shape in ((64, 320), (320, 64), (64, 64), (64, 64)))
    c, s = np.zeros((64, 64), np.float32), np.zeros(64, np.float32)
    around_kernel[(1,)](a, b, q, o, c, s, 320, SIDE=64, num_stages=stages)
    x, y, z, w = (each.astype(np.float64) for each in (a, b, q, o))
    assert error(c, x @ y + z @ w + sum(x[:, k:k + 64] for k in range(0, 320, 64)) @ z) <= 2e-3
    assert error(s, (x * x).sum(1)) <= 1e-5


@tw.jit
def order_kernel(a, b, c, d, K, WAY: tl.constexpr, SIDE: tl.constexpr):
    """What follows a store of a block."""
    x_blocks = tl.make_tensor_descriptor(a, [SIDE, K], [K, 1], [SIDE, SIDE])
    y_blocks = tl.make_tensor_descriptor(b, [K, SIDE], [SIDE, 1], [SIDE, SIDE])
    blocks = tl.make_tensor_descriptor(c, [SIDE, SIDE], [SIDE, 1], [SIDE, SIDE])
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for k in range(0, K, SIDE):
        total = tl.dot(x_blocks.load([0, k]), y_blocks.load([k, 0]), total)
    i = tl.arange(0, SIDE)
    places = i[:, None] * SIDE + i[None, :]
    blocks.store([0, 0], total)
    result = total
    if WAY == "sort":
        result = tl.sort(total, 1)
    if WAY == "pointers":
        tl.debug_barrier()
        result = tl.load(c + places) * 2
    if WAY == "blocks":
        result = blocks.load([0, 0]) * 2
    if WAY == "overwrite":
        tl.store(c + places, total * 3)
    tl.store(d + places, result)


@pytest.mark.parametrize("way", ["sort", "pointers", "blocks", "overwrite"])
def test_what_follows_a_store(rng, way):
    a, b = operand(rng, 64, 192), operand(rng, 192, 64)
    c, d = np.zeros((64, 64), np.float32), np.zeros((64, 64), np.float32)
    order_kernel[(1,)](a, b, c, d, 192, WAY=way, SIDE=64)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert error(c, exact * (3 if way == "overwrite" else 1)) <= 2e-3
    assert error(d, np.sort(exact, 1) if way == "sort" else exact * (2 if way in ("pointers", "blocks") else 1)) <= 2e-3


@tw.jit
def rolling_kernel(a, b, c, count, M, K, STEP: tl.constexpr, SIDE: tl.constexpr, N: tl.constexpr):
    """Blocks that overlap: what is stored last counts."""
    x_blocks = tl.make_tensor_descriptor(a, [M, K], [K, 1], [SIDE, 64])
    y_blocks = tl.make_tensor_descriptor(b, [K, N], [N, 1], [64, N])
    blocks = tl.make_tensor_descriptor(c, [M, N], [N, 1], [SIDE, N])
    for place in range(count):
        total = tl.zeros((SIDE, N), tl.float32)
        for k in range(0, K, 64):
            total = tl.dot(x_blocks.load([place * STEP, k]), y_blocks.load([k, 0]), total)
        for turn in range(3):
            blocks.store([place * STEP, 0], total * (10 * place + turn))


@pytest.mark.parametrize("side, warps", [(64, 4), (128, 8)])
@pytest.mark.parametrize("step", [0, 8, 64])
def test_stores_of_overlapping_blocks(rng, step, side, warps):
    count, depth = 9, 64
    rows = (count - 1) * step + side
    a, b = operand(rng, rows, depth), operand(rng, depth, 128)
    c = np.full((rows, 128), np.nan, np.float32)
    rolling_kernel[(1,)](a, b, c, count, rows, depth, STEP=step, SIDE=side, N=128, num_warps=warps)
    last = np.minimum(np.arange(rows) // step, count - 1) if step else np.full(rows, count - 1)
    assert error(c, (a.astype(np.float64) @ b) * (10 * last[:, None] + 2)) <= 2e-3


@tw.jit
def scattered_kernel(table: tl.const, count, a, b, c, M, K, depth, SIDE: tl.constexpr, N: tl.constexpr,
                     ARRAYS: tl.constexpr):
    """Blocks where a table tells, which may overlap: what is stored last counts. ARRAYS: of two blocks begin there."""
    x_blocks = tl.make_tensor_descriptor(a, [M, K], [K, 1], [SIDE, 64])
    y_blocks = tl.make_tensor_descriptor(b, [K, N], [N, 1], [64, N])
    if not ARRAYS:
        blocks = tl.make_tensor_descriptor(c, [M, N], [N, 1], [SIDE, N])
    for turn in range(count):
        place = tl.load(table + turn)
        if ARRAYS:
            blocks = tl.make_tensor_descriptor(c + place * N, [2 * SIDE, N], [N, 1], [SIDE, N])
        for row in range(0, 2 * SIDE if ARRAYS else SIDE, SIDE):
            total = tl.zeros((SIDE, N), tl.float32)
            for k in range(0, depth, 64):
                total = tl.dot(x_blocks.load([place + row, k]), y_blocks.load([k, 0]), total)
            blocks.store([row if ARRAYS else place, 0], total * (turn + 1))


@pytest.mark.parametrize("side, warps", [(64, 4), (128, 8), (192, 12)])
@pytest.mark.parametrize("arrays", [False, True])
@pytest.mark.parametrize("depth", [0, 64, 192])
def test_stores_of_scattered_blocks(rng, side, warps, arrays, depth):
    rows, width, count, high = 1024, 192, 20, (1 + arrays) * side
    places = rng.integers(0, (rows - high) // 8 + 1, count).astype(np.int32) * 8
    places[1::2] = np.minimum(places[::2] + 8 * rng.integers(0, 12, count // 2), rows - high)  # many are near the last
    a, b = operand(rng, rows, width), operand(rng, width, 64)
    c, factors = np.zeros((rows, 64), np.float32), np.zeros((rows, 1))
    scattered_kernel[(1,)](places, count, a, b, c, rows, width, depth, SIDE=side, N=64, ARRAYS=arrays,
                           num_warps=warps)
    for turn, place in enumerate(places):
        factors[place:place + high] = turn + 1
    exact = a[:, :depth].astype(np.float64) @ b[:depth] * factors
    assert error(c, exact) <= 2e-3 if depth else not c.any()


@tw.jit
def deep_kernel(a, b, bias, c, Z, K, SIDE: tl.constexpr, ROWS: tl.constexpr, RANK: tl.constexpr):
    """Products of a stack of matrices, with a block of few rows beside them."""
    if RANK == 3:
        x_blocks = tl.make_tensor_descriptor(a, [Z, SIDE, K], [SIDE * K, K, 1], [1, SIDE, SIDE])
        y_blocks = tl.make_tensor_descriptor(b, [Z, K, SIDE], [SIDE * K, SIDE, 1], [1, SIDE, SIDE])
    else:
        x_blocks = tl.make_tensor_descriptor(a, [Z, 1, 1, SIDE, K], [SIDE * K, SIDE * K, SIDE * K, K, 1],
                                             [1, 1, 1, SIDE, SIDE])
        y_blocks = tl.make_tensor_descriptor(b, [Z, 1, 1, K, SIDE], [SIDE * K, SIDE * K, SIDE * K, SIDE, 1],
                                             [1, 1, 1, SIDE, SIDE])
    few = tl.make_tensor_descriptor(bias, [ROWS, SIDE], [SIDE, 1], [ROWS, SIDE])
    z = tl.program_id(0)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for k in range(0, K, SIDE):
        x = x_blocks.load([z, 0, k]) if RANK == 3 else x_blocks.load([z, 0, 0, 0, k])
        y = y_blocks.load([z, k, 0]) if RANK == 3 else y_blocks.load([z, 0, 0, k, 0])
        total = tl.dot(x.reshape(SIDE, SIDE), y.reshape(SIDE, SIDE), total)
        total += tl.sum(few.load([0, 0]).to(tl.float32), 0)[None, :]
    i = tl.arange(0, SIDE)
    tl.store(c + z * SIDE * SIDE + i[:, None] * SIDE + i[None, :], total)


@pytest.mark.parametrize("rank", [3, 5])
@pytest.mark.parametrize("rows", [1, 2, 4, 16])
def test_ranks_and_blocks_of_few_rows(rng, rank, rows):
    a, b, bias = (rng.standard_normal(shape).astype(np.float16) for shape in ((2, 64, 192), (2, 192, 64), (rows, 64)))
    c = np.zeros((2, 64, 64), np.float32)
    deep_kernel[(2,)](a, b, bias, c, 2, 192, SIDE=64, ROWS=rows, RANK=rank)
    x, y, z = (each.astype(np.float64) for each in (a, b, bias))
    assert error(c, x @ y + 3 * z.sum(0)) <= 2e-3


@tw.jit
def narrow_kernel(a_blocks, c_blocks, K, SIDE: tl.constexpr, BLOCK_K: tl.constexpr):
    row, column = tl.program_id(0) * SIDE, tl.program_id(1) * SIDE
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for k in range(0, K, BLOCK_K):
        total = tl.dot(a_blocks.load([row, k]), a_blocks.load([column, k]).T, total)
    c_blocks.store([row, column], total.to(c_blocks.dtype))


@pytest.mark.parametrize("held", ["float16", "float32"])
@pytest.mark.parametrize("size", [64, 65, 72, 77, 79])
def test_what_lies_behind_rows_stays(rng, size, held):
    """Rows that are parts of longer ones, of which blocks write no more than their own."""
    a, c = operand(rng, 80, 96), rng.standard_normal((80, 88)).astype(held)
    expected = c.copy()
    expected[:size, :size] = a[:size].astype(np.float32) @ a[:size].astype(np.float32).T
    blocks = [TensorDescriptor(a, [size, 96], [96, 1], [64, 32]), TensorDescriptor(c, [size, size], [88, 1], [64, 64])]
    narrow_kernel[(2, 2)](*blocks, 96, SIDE=64, BLOCK_K=32, num_warps=4)
    assert error(c[:size, :size], expected[:size, :size]) <= 2e-3
    c[:size, :size] = expected[:size, :size]
    assert np.array_equal(c, expected)


@tw.jit
def part_kernel(a, b, c, K, X, Y, SIDE: tl.constexpr, AXIS: tl.constexpr, GROWS: tl.constexpr):
    """c[program] = a[:, part] @ b[part], where programs have parts of different lengths along an axis of the grid."""
    x_blocks = tl.make_tensor_descriptor(a, [SIDE, K], [K, 1], [SIDE, 32])
    y_blocks = tl.make_tensor_descriptor(b, [K, SIDE], [SIDE, 1], [32, SIDE])
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    program = (z * Y + y) * X + x
    along = tl.program_id(AXIS)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for k in range(0 if GROWS else min(along * 32, K), min((along + 1) * 32, K) if GROWS else K, 32):
        total = tl.dot(x_blocks.load([0, k]), y_blocks.load([k, 0]), total)
    i = tl.arange(0, SIDE)
    tl.store(c + (program * SIDE + i[:, None]) * SIDE + i[None, :], total)


@pytest.mark.parametrize("grid", [(1, 1, 1), (5, 3, 1), (1, 2, 7), (4, 1, 9), (40, 3, 5)], ids=str)
@pytest.mark.parametrize("axis, grows", [(0, True), (1, False), (2, True)])
def test_programs_of_unequal_work(rng, axis, grows, grid):
    K = 128
    a, b, c = operand(rng, 64, K), operand(rng, K, 64), np.full((*grid[::-1], 64, 64), 77, np.float32)
    part_kernel[grid](a, b, c, K, *grid[:2], SIDE=64, AXIS=axis, GROWS=grows)
    exact = np.zeros(c.shape)
    for place in np.ndindex(*grid[::-1]):
        along = place[2 - axis] * 32
        part = slice(0, along + 32) if grows else slice(along, K)
        exact[place] = a[:, part].astype(np.float64) @ b[part].astype(np.float64)
    assert error(c, exact) <= 2e-3


@tw.jit
def doubled_kernel(a_blocks, b_blocks, c, K, SIDE: tl.constexpr):
    """c[z] = a[z] @ (2 b[z]).T: threads take what copies have brought apart, slowly."""
    z = tl.program_id(0)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for k in range(0, K, SIDE):
        y = b_blocks.load([z, 0, k]).reshape(SIDE, SIDE) * 2
        total = tl.dot(a_blocks.load([z, 0, k]).reshape(SIDE, SIDE), y.T, total)
    i = tl.arange(0, SIDE)
    tl.store(c + (z * SIDE + i[:, None]) * SIDE + i[None, :], total)


@pytest.mark.parametrize("stages", [1, 2])
def test_blocks_that_threads_read_from_copies(rng, device, stages):
    programs, K = (600, 1024) if device == "cuda" else (2, 192)
    a, b = (rng.standard_normal((programs, 64, K)).astype(np.float16) for _ in range(2))
    results = [np.zeros((programs, 64, 64), np.float32) for _ in range(4)]
    for c in results:
        blocks = [TensorDescriptor(each, each.shape, [64 * K, K, 1], [1, 64, 64]) for each in (a, b)]
        doubled_kernel[(programs,)](*blocks, c, K, SIDE=64, num_warps=4, num_stages=stages)
    exact = np.matmul(a.astype(np.float32), 2 * b.astype(np.float32).swapaxes(1, 2))
    assert error(results[0], exact) <= 2e-3
    assert all(np.array_equal(results[0], c) for c in results), "runs differ: a race"
