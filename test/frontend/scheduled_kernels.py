"""Kernels for the tests of the interpreter of stage `scheduled`, and how their compiled text is damaged."""

import re
from collections.abc import Iterator

import tilewright as tw
import tilewright.language as tl


def replace_each(pattern: str, replacement: str, text: str) -> Iterator[str]:
    """The text once for each match of the pattern, with that match alone replaced; there is at least one."""
    matches = list(re.finditer(pattern, text))
    assert matches, pattern
    for match in matches:
        yield text[:match.start()] + match.expand(replacement) + text[match.end():]


@tw.jit
def product(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
            SUMS: tl.constexpr = tl.float32):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), SUMS)
    for k in range(0, K, BLOCK_K):
        x = tl.load(a + rows[:, None] * K + (k + depth)[None, :], mask=(k + depth)[None, :] < K, other=0)
        y = tl.load(b + (k + depth)[:, None] * N + columns[None, :], mask=(k + depth)[:, None] < K, other=0)
        total = tl.dot(x, y, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(c.dtype.element_ty))


@tw.jit
def grid(a, b, c, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c[z, y, x] = a[z] @ b[y, x], of whole blocks."""
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    m, n, depth = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in tl.range(0, K, BLOCK_K, warp_specialize=True):
        left = tl.load(a + (z * BLOCK_M + m)[:, None] * K + (k + depth)[None, :])
        right = tl.load(b + ((y * 3 + x) * K + k + depth)[:, None] * BLOCK_N + n[None, :])
        total = tl.dot(left, right, total)
    to = c + ((z * 2 + y) * 3 + x) * BLOCK_M * BLOCK_N + m[:, None] * BLOCK_N + n[None, :]
    tl.store(to, total.to(c.dtype.element_ty))


@tw.jit
def beside_blocks(a, b, c, K, END, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  UNROLL: tl.constexpr):
    """c = 1 + a[:, :END] @ b[:END]: a by pointers, beside copies of whole blocks of b."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns, depth = tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    blocks = tl.make_tensor_descriptor(b, [K, BLOCK_N], [BLOCK_N, 1], [BLOCK_K, BLOCK_N])
    total = tl.full((BLOCK_M, BLOCK_N), 1.0, tl.float32)
    for k in tl.range(0, END, BLOCK_K, loop_unroll_factor=UNROLL):
        x = tl.load(a + rows[:, None] * K + (k + depth)[None, :])
        total = tl.dot(x, blocks.load([k, 0]), total)
    tl.store(c + rows[:, None] * BLOCK_N + columns[None, :], total)


@tw.jit
def behind(table, a, b, c, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = 2 * (x @ b.T) + 4 * x[:, :BLOCK_K] @ b[:, :BLOCK_K].T of x = a[table]: products behind a loop, of what
    threads exchange first."""
    rows, columns, depth = tl.load(table + tl.arange(0, BLOCK_M)), tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    blocks = tl.make_tensor_descriptor(b, [BLOCK_N, K], [K, 1], [BLOCK_N, BLOCK_K])
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(2):
        for k in range(0, K, BLOCK_K):
            x = tl.load(a + rows[:, None] * K + (k + depth)[None, :])
            total = tl.dot(x, tl.load(b + columns[None, :] * K + (k + depth)[:, None]), total)
        x = tl.load(a + rows[:, None] * K + depth[None, :]) * 2
        total = tl.dot(x, blocks.load([0, 0]).T, total)
    tl.store(c + tl.arange(0, BLOCK_M)[:, None] * BLOCK_N + columns[None, :], total)


@tw.jit
def unrolled_loops(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = 4 * (a @ b.T): many products of an iteration, of blocks that threads store on chip."""
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    rows, columns, depth = row + tl.arange(0, BLOCK_M), column + tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    blocks = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in tl.range(K - BLOCK_K, -1, -BLOCK_K, loop_unroll_factor=2):
        x = tl.load(a + rows[:, None] * K + (k + depth)[None, :])
        y = tl.load(b + columns[None, :] * K + (k + depth)[:, None])
        total = tl.dot(x, y, tl.dot(x, y, total))
    at = 0
    for _ in tl.range(0, K // BLOCK_K, loop_unroll_factor=2):
        x = tl.load(a + rows[:, None] * K + (at + depth)[None, :])
        y = blocks.load([column, at]).T
        total = tl.dot(x, y, tl.dot(x, y, total))
        at += BLOCK_K
    tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N]).store([row, column], total)


@tw.jit
def ping_pong(first, second, b, out, count, SIDE: tl.constexpr):
    """out = first @ b ** count, each product to the array that the one before was not in."""
    place = tl.arange(0, SIDE)[:, None] * SIDE + tl.arange(0, SIDE)[None, :]
    source, target = first, second
    for _ in range(count):
        product = tl.dot(tl.load(source + place), tl.load(b + place))
        tl.store(target + place, product.to(tl.float16))
        tl.debug_barrier()
        source, target = target, source
    tl.store(out + place, tl.load(source + place))


@tw.jit
def gathered(rows, a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a[rows] @ b, tile by tile: threads copy rows that a table names, beside copies of whole blocks of b."""
    columns = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    depth = tl.arange(0, BLOCK_K)
    for tile in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        place = tile * BLOCK_M + tl.arange(0, BLOCK_M)
        row = tl.load(rows + place, mask=place < M, other=0)
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, BLOCK_K):
            x = tl.load(a + row[:, None] * K + (k + depth)[None, :], mask=(k + depth)[None, :] < K, other=0)
            total = tl.dot(x, columns.load([k, 0]), total)
        to = c + place[:, None] * N + tl.arange(0, BLOCK_N)[None, :]
        tl.store(to, total.to(c.dtype.element_ty), mask=(place < M)[:, None] & (tl.arange(0, BLOCK_N) < N)[None, :])


@tw.jit
def unrolled(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
             UNROLL: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in tl.range(0, K, BLOCK_K, loop_unroll_factor=UNROLL):
        x = tl.load(a + rows[:, None] * K + (k + depth)[None, :])
        total = tl.dot(x, tl.load(b + (k + depth)[:, None] * N + columns[None, :]), total)
    tl.store(c + rows[:, None] * N + columns[None, :], total)


@tw.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    weights = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + i, weights / tl.sum(weights, axis=0), mask=i < columns)


@tw.jit
def attention(q, k, v, out, length, HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, HEAD)
    query = tl.load(q + rows[:, None] * HEAD + columns[None, :])
    largest = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    sums = tl.zeros((BLOCK_M, HEAD), tl.float32)
    for start in range(0, length, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        key = tl.load(k + keys[None, :] * HEAD + columns[:, None])
        scores = tl.dot(query, key)
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp2(scores - larger[:, None])
        correction = tl.exp2(largest - larger)
        total = total * correction + tl.sum(weights, axis=1)
        value = tl.load(v + keys[:, None] * HEAD + columns[None, :])
        sums = tl.dot(weights.to(value.dtype), value, sums * correction[:, None])
        largest = larger
    tl.store(out + rows[:, None] * HEAD + columns[None, :], (sums / total[:, None]).to(out.dtype.element_ty))


@tw.jit
def collectives(x, out, counts, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    block = tl.load(x + i[:, None] * BLOCK + i[None, :])
    turned = tl.trans(block) + tl.cumsum(block, 0)
    tl.store(out + i[:, None] * BLOCK + i[None, :], tl.sort(turned))
    tl.store(counts + i, tl.histogram(tl.max(block, axis=1), BLOCK))


@tw.jit
def scaled(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = (2 a) @ b of one block: threads read what copies bring."""
    x_blocks = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    y_blocks = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        total = tl.dot(x_blocks.load([0, k]) * 2, y_blocks.load([k, 0]), total)
    rows, columns = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(c.dtype.element_ty))


@tw.jit
def tiles(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Every num_programs-th block of c = a @ b."""
    x_blocks = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    y_blocks = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    blocks = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    columns = tl.cdiv(N, BLOCK_N)
    for tile in range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * columns, tl.num_programs(0)):
        row, column = tile // columns * BLOCK_M, tile % columns * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, BLOCK_K):
            total = tl.dot(x_blocks.load([row, k]), y_blocks.load([k, column]), total)
        blocks.store([row, column], total.to(c.dtype.element_ty))


@tw.jit
def rolling(a, b, c, count, M, K, STEP: tl.constexpr, SIDE: tl.constexpr):
    """Blocks of a @ b, each of rows that begin STEP after those of the one before, stored to such rows."""
    x_blocks = tl.make_tensor_descriptor(a, [M, K], [K, 1], [SIDE, SIDE])
    y_blocks = tl.make_tensor_descriptor(b, [K, SIDE], [SIDE, 1], [SIDE, SIDE])
    blocks = tl.make_tensor_descriptor(c, [M, SIDE], [SIDE, 1], [SIDE, SIDE])
    for place in range(count):
        total = tl.zeros((SIDE, SIDE), tl.float32)
        for k in range(0, K, SIDE):
            total = tl.dot(x_blocks.load([place * STEP, k]), y_blocks.load([k, 0]), total)
        blocks.store([place * STEP, 0], total * (place + 1))


@tw.jit
def turned(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + i)
    tl.debug_barrier()
    tl.store(x + (BLOCK - 1 - i), values)


@tw.jit
def neighbours(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, i * i)
    tl.store(out + i, tl.load(x + (i + 1) % BLOCK))


@tw.jit
def number(x, out):
    tl.store(x, tl.load(x) + 1)
    tl.store(out, tl.load(x) * 2)


@tw.jit
def few(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, i)
    tl.store(out, tl.sum(tl.load(x + i)))


@tw.jit
def tickets(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(x + i % 4, 1, sem="relaxed")
    tl.atomic_add(x + i % 4, 2, sem="relaxed")


@tw.jit
def summed_by_the_last(x, parts, out, counter, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    """Each program leaves a part; the last one to come adds them."""
    i = tl.arange(0, BLOCK)
    mine = tl.program_id(0) * BLOCK + i
    tl.store(parts + mine, tl.load(x + mine) * 2)
    if tl.atomic_add(counter, 1) == PROGRAMS - 1:
        total = tl.zeros((BLOCK,), tl.int32)
        for part in range(PROGRAMS):
            total += tl.load(parts + part * BLOCK + (i + 1) % BLOCK)
        tl.store(out + i, total)


@tw.jit
def turned_behind_tickets(x, tickets, out, BLOCK: tl.constexpr):
    """Threads act each for its own elements, then write those that others have read."""
    i = tl.arange(0, BLOCK)
    values = tl.load(x + i)
    ticket = tl.atomic_add(tickets + i, 1)
    tl.store(x + (BLOCK - 1 - i), ticket)
    tl.store(out + i, values)


@tw.jit
def stored_on_the_way(x, out, sums, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """A block is stored by a unit while a conversion may need the memory."""
    blocks = tl.make_tensor_descriptor(x, [ROWS, COLUMNS], [COLUMNS, 1], [ROWS, COLUMNS])
    results = tl.make_tensor_descriptor(out, [ROWS, COLUMNS], [COLUMNS, 1], [ROWS, COLUMNS])
    total = tl.zeros((ROWS, ROWS), tl.float32)
    for _ in range(2):
        block = blocks.load([0, 0])
        total = tl.dot(block, block.T, total)
    results.store([0, 0], total.to(tl.float16))
    tl.store(sums + tl.arange(0, ROWS), tl.sum(total, axis=1))


@tw.jit
def stored_and_loaded(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """What a unit would store is loaded again."""
    blocks = tl.make_tensor_descriptor(x, [ROWS, COLUMNS], [COLUMNS, 1], [ROWS, COLUMNS])
    results = tl.make_tensor_descriptor(out, [ROWS, COLUMNS], [COLUMNS, 1], [ROWS, COLUMNS])
    total = tl.zeros((ROWS, ROWS), tl.float32)
    for _ in range(2):
        block = blocks.load([0, 0])
        total = tl.dot(block, block.T, total)
    results.store([0, 0], total.to(tl.float16))
    results.store([0, 0], results.load([0, 0]) * 2)


@tw.jit
def added_tiles(a, b, addend, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Tiles of a @ b + addend, one after the other."""
    x_blocks = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, 64])
    y_blocks = tl.make_tensor_descriptor(b, [K, N], [N, 1], [64, BLOCK_N])
    addends = tl.make_tensor_descriptor(addend, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    blocks = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    for row in range(tl.program_id(0) * BLOCK_M, M, tl.num_programs(0) * BLOCK_M):
        more = addends.load([row, 0])
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, 64):
            total = tl.dot(x_blocks.load([row, k]), y_blocks.load([k, 0]), total)
        blocks.store([row, 0], (total + more).to(tl.float16))


@tw.jit
def scattered_tiles(table: tl.const, count, a, b, c, M, K, SIDE: tl.constexpr):
    """Products that a program stores where a table tells: they may lie over each other."""
    x_blocks = tl.make_tensor_descriptor(a, [M, K], [K, 1], [SIDE, 64])
    y_blocks = tl.make_tensor_descriptor(b, [K, 64], [64, 1], [64, 64])
    blocks = tl.make_tensor_descriptor(c, [M, 64], [64, 1], [SIDE, 64])
    for turn in range(count):
        place = tl.load(table + turn)
        total = tl.zeros((SIDE, 64), tl.float32)
        for k in range(0, K, 64):
            total = tl.dot(x_blocks.load([place, k]), y_blocks.load([k, 0]), total)
        blocks.store([place, 0], total * (turn + 1))


@tw.jit
def scattered_arrays(table: tl.const, count, a, b, c, M, K, SIDE: tl.constexpr):
    """The same, by arrays with descriptors of their own that begin there: of a block, and of two if they end with M."""
    y_blocks = tl.make_tensor_descriptor(b, [K, 64], [64, 1], [64, 64])
    for turn in range(count):
        place = tl.load(table + turn)
        rows = tl.where(place + 2 * SIDE == M, 2 * SIDE, SIDE)
        x_blocks = tl.make_tensor_descriptor(a + place * K, [rows, K], [K, 1], [SIDE, 64])
        blocks = tl.make_tensor_descriptor(c + place * 64, [rows, 64], [64, 1], [SIDE, 64])
        for row in range(0, rows, SIDE):
            total = tl.zeros((SIDE, 64), tl.float32)
            for k in range(0, K, 64):
                total = tl.dot(x_blocks.load([row, k]), y_blocks.load([k, 0]), total)
            blocks.store([row, 0], total * (turn + 1))


@tw.jit
def packed_tiles(table: tl.const, count, a, b, c, BLOCK: tl.constexpr):
    """Products of problems that a table tells: rows, depth, offset; each with descriptors of its own."""
    for problem in range(count):
        M, K = tl.load(table + problem * 4).to(tl.int32), tl.load(table + problem * 4 + 1).to(tl.int32)
        start = tl.multiple_of(tl.load(table + problem * 4 + 2), 8)
        x = tl.make_tensor_descriptor(a + start, [M, K], [256, 1], [BLOCK, 64])
        y = tl.make_tensor_descriptor(b + start, [BLOCK, K], [256, 1], [BLOCK, 64])
        z = tl.make_tensor_descriptor(c + start, [M, BLOCK], [256, 1], [BLOCK, BLOCK])
        for row in range(0, M, BLOCK):
            total = tl.zeros((BLOCK, BLOCK), tl.float32)
            for k in range(0, K, 64):
                total = tl.dot(x.load([row, k]), y.load([0, k]).T, total)
            z.store([row, 0], total.to(tl.float16))
