"""What kernels of tiles share: the order of tiles, descriptors of arrays, the number of programs that run together."""

import heapq

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import processors
from tilewright.tools.tensor_descriptor import TensorDescriptor


@tw.jit
def grouped_tile(tile, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    """Row and column of a tile, in tiles. Those that run together share operands in the cache: GROUP_M rows of
    tiles are walked column by column."""
    group_tiles = GROUP_M * tiles_n
    first_m = tile // group_tiles * GROUP_M
    rows = min(tiles_m - first_m, GROUP_M)
    return first_m + tile % group_tiles % rows, tile % group_tiles // rows


@tw.jit
def last_blocks_first(program, blocks, heads, together):
    """Block and head of a program where later blocks are more work: of some heads together the last blocks first, then
    those before. Little work is left for the end, and what these heads read stays in the cache meanwhile."""
    first = program // (blocks * together) * together
    count = min(heads - first, together)
    place = program - first * blocks
    return blocks - 1 - place // count, first + place % count


def heads_together(array, bytes_of_head):
    """How many heads read no more than what a cache holds for long."""
    return max(1, min(array.shape[0], (16 << 20) // bytes_of_head))


def share_out(costs, programs):
    """Which of some programs does which pieces, of different costs: each piece goes to the program that has least to do
    so far. Gives the pieces of the first program, the second, and so on, and where each one's begin, and the last one's
    end: arrays of 32-bit integers."""
    load = [(0, program) for program in range(programs)]
    shares = [[] for _ in range(programs)]
    for piece, cost in enumerate(costs):
        least, program = load[0]
        shares[program].append(piece)
        heapq.heapreplace(load, (least + cost, program))
    return np.concatenate(shares).astype(np.int32), np.cumsum([0, *map(len, shares)], dtype=np.int32)


def describe(array, *block):
    """The array as kernels access it, by blocks."""
    return TensorDescriptor.from_tensor(array, list(block))


def programs(array, tiles, num_ctas=1):
    """How many programs of a persistent kernel, each by num_ctas thread blocks: as many as run at once, and not more
    than there are tiles."""
    return min(tiles, max(1, processors(array) // num_ctas))


def describe_rows(array, rows, even):
    """An array (heads, length, size) as kernels access it, by some rows of a head. Where blocks divide the length
    (`even`), its rows stand in one sequence: none of a block belong to the next head."""
    heads, length, size = array.shape
    return describe(array.reshape(heads * length, size), rows, size) if even else describe(array, 1, rows, size)


@tw.jit
def load_rows(array, head, row, length):
    """A block of rows of a head, from what `describe_rows` made; rows beyond the length are zero."""
    if len(array.block_shape) == 2:
        rows = array.load([head * length + row, 0])
    else:
        rows = tl.reshape(array.load([head, row, 0]), array.block_shape[1:])
    return rows


@tw.jit
def store_rows(array, head, row, length, value):
    """Write what `load_rows` would read."""
    if len(array.block_shape) == 2:
        array.store([head * length + row, 0], value)
    else:
        array.store([head, row, 0], tl.reshape(value, array.block_shape))


@tw.jit
def add_rows(array, head, row, length, value):
    """Add to what `load_rows` would read; other programs may add to it at the same time."""
    if len(array.block_shape) == 2:
        array.atomic_add([head * length + row, 0], value)
    else:
        array.atomic_add([head, row, 0], tl.reshape(value, array.block_shape))
