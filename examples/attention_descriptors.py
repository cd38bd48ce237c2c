"""Attention forward by tensor descriptors: grouped heads, causal or not, with the logarithm of the sums for a
backward pass."""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty_like, on_device, parse_device, processors, report
from tiles import describe_rows, heads_together, last_blocks_first, load_rows, share_out, store_rows

LOG2_E = tl.constexpr(1.4426950408889634)


@tw.jit
def attend(query, keys, values, head, block, length, first, last, scale, maximum, total, accumulator,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr):
    """Take the keys first to last into account; MASKED: some of them are not visible."""
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    for start in range(first, last, BLOCK_N):
        key = load_rows(keys, head, start, length)
        scores = tl.dot(query, key.T)
        if MASKED:
            columns = start + tl.arange(0, BLOCK_N)
            visible = columns[None, :] < length
            if CAUSAL:
                visible = visible & (rows[:, None] >= columns[None, :])
            scores = tl.where(visible, scores, -float("inf"))
        new_maximum = tl.maximum(maximum, tl.max(scores, axis=1) * scale)
        weights = tl.exp2(scores * scale - new_maximum[:, None])
        correction = tl.exp2(maximum - new_maximum)
        total = total * correction + tl.sum(weights, axis=1)
        value = load_rows(values, head, start, length)
        accumulator = tl.dot(weights.to(value.dtype), value, accumulator * correction[:, None])
        maximum = new_maximum
    return maximum, total, accumulator


@tw.jit
def attend_block(queries, keys, values, output, logsums, scale, length, block, head, HEAD: tl.constexpr,
                 GROUP: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
                 EVEN: tl.constexpr, PEELED: tl.constexpr, LOGSUMS: tl.constexpr):
    """Attention of one block of queries."""
    kv_head = head // GROUP
    query = load_rows(queries, head, block * BLOCK_M, length)
    maximum = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    accumulator = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    scale = scale * LOG2_E

    last = min((block + 1) * BLOCK_M, length) if CAUSAL else length
    whole = 0
    if PEELED:  # the blocks before the diagonal, or before the end of the keys, need no mask
        whole = (block * BLOCK_M if CAUSAL else length) // BLOCK_N * BLOCK_N
        maximum, total, accumulator = attend(query, keys, values, kv_head, block, length, 0, whole, scale, maximum,
                                             total, accumulator, BLOCK_M, BLOCK_N, CAUSAL, False)
    if CAUSAL or not EVEN or not PEELED:
        maximum, total, accumulator = attend(query, keys, values, kv_head, block, length, whole, last, scale, maximum,
                                             total, accumulator, BLOCK_M, BLOCK_N, CAUSAL, CAUSAL or not EVEN)
    if LOGSUMS:
        rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
        tl.store(logsums + head.to(tl.int64) * length + rows, (maximum + tl.log2(total)) / LOG2_E, mask=rows < length)
    result = accumulator / total[:, None]
    store_rows(output, head, block * BLOCK_M, length, result.to(output.dtype))


@tw.jit
def attention_kernel(queries, keys, values, output, logsums, scale, length, heads, together, HEAD: tl.constexpr,
                     GROUP: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
                     EVEN: tl.constexpr, PEELED: tl.constexpr, LOGSUMS: tl.constexpr):
    block, head = last_blocks_first(tl.program_id(0), tl.cdiv(length, BLOCK_M), heads, together)
    attend_block(queries, keys, values, output, logsums, scale, length, block, head, HEAD, GROUP, BLOCK_M, BLOCK_N,
                 CAUSAL, EVEN, PEELED, LOGSUMS)


@tw.jit
def shared_kernel(queries, keys, values, output, logsums, order: tl.const, starts: tl.const, scale, length,
                  HEAD: tl.constexpr, GROUP: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  CAUSAL: tl.constexpr, EVEN: tl.constexpr, PEELED: tl.constexpr, LOGSUMS: tl.constexpr):
    """The same by few programs, each of which does several blocks: what the next one reads comes meanwhile."""
    program = tl.program_id(0)
    first, last = tl.load(starts + program), tl.load(starts + program + 1)
    next_block, next_head = tl.load(order + 2 * first), tl.load(order + 2 * first + 1)
    for place in range(first, last):
        block, head = next_block, next_head
        following = order + 2 * min(place + 1, last - 1)
        next_block, next_head = tl.load(following), tl.load(following + 1)
        attend_block(queries, keys, values, output, logsums, scale, length, block, head, HEAD, GROUP, BLOCK_M,
                     BLOCK_N, CAUSAL, EVEN, PEELED, LOGSUMS)


def count_together(q, causal):
    """Heads whose blocks are done together: their keys and values stay in the cache."""
    heads, length, size = q.shape
    return heads_together(q, 4 * length * size) if causal else 1


def share_blocks(q, causal, BLOCK_M=64, BLOCK_N=32):
    """How blocks of queries of an array like q are shared among programs: their order, and where each program's begin.
    A block costs as much as the blocks of keys that it sees, and one more. Arrays: block and head of each, and where
    each program's begin, and the last one's end."""
    heads, length, _ = q.shape
    blocks = tw.cdiv(length, BLOCK_M)
    together = count_together(q, causal)
    places = np.arange(blocks * heads)
    first = places // (blocks * together) * together
    count = np.minimum(heads - first, together)
    block, head = blocks - 1 - (places - first * blocks) // count, first + (places - first * blocks) % count
    seen = np.minimum((block + 1) * BLOCK_M, length) if causal else np.full_like(block, length)
    costs = -(-seen // BLOCK_N) + 1
    order, starts = share_out(costs.tolist(), min(len(costs), processors(q)))
    return np.stack([block[order], head[order]], axis=1).astype(np.int32), starts


def attention(q, k, v, causal, output=None, logsums=None, shares=None, BLOCK_M=64, BLOCK_N=32, PEELED=True, **options):
    """Attention over arrays of shape (heads, length, head size); k and v may have fewer heads, each for as many
    consecutive heads of q. Gives `logsums` (heads, length), if they are given, log(sum(exp(scores))). `shares`: what
    `share_blocks` gives for q and the blocks' sizes, where the kernel runs; else there is a program for each block."""
    heads, length, size = q.shape
    output = empty_like(q) if output is None else output
    even = length % BLOCK_N == 0
    # Queries behind the last one of a head are computed from those of the next, and not written.
    arrays = [describe_rows(q, BLOCK_M, True), describe_rows(k, BLOCK_N, even), describe_rows(v, BLOCK_N, even),
              describe_rows(output, BLOCK_M, length % BLOCK_M == 0), logsums]
    sizes = dict(HEAD=size, GROUP=heads // k.shape[0], BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, CAUSAL=causal, EVEN=even,
                 PEELED=PEELED, LOGSUMS=logsums is not None)
    if shares is None:
        attention_kernel[(tw.cdiv(length, BLOCK_M) * heads,)](*arrays, size**-0.5, length, heads,
                                                              count_together(q, causal), **sizes, **options)
    else:
        shared_kernel[(shares[1].shape[0] - 1,)](*arrays, *shares, size**-0.5, length, **sizes, **options)
    return output


def reference(q, k, v, causal):
    """Attention and the logarithms of the sums, in double precision."""
    group = q.shape[0] // k.shape[0]
    q, k, v = (array.astype(np.float64) for array in (q, k.repeat(group, axis=0), v.repeat(group, axis=0)))
    scores = q @ k.swapaxes(1, 2) * q.shape[-1] ** -0.5
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[1:], bool)), scores, -np.inf)
    maximum = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - maximum)
    total = weights.sum(axis=-1, keepdims=True)
    return weights / total @ v, (maximum + np.log(total))[..., 0]


def main() -> None:
    parse_device(__doc__)
    for heads, group, length, size in [(4, 1, 256, 64), (4, 2, 192, 128), (6, 3, 200, 64)]:
        for causal, peeled in [(False, True), (True, True), (True, False)]:
            q = np.random.randn(heads, length, size).astype(np.float16)
            k, v = (np.random.randn(heads // group, length, size).astype(np.float16) for _ in range(2))
            logsums = empty_like(on_device(np.empty((heads, length), np.float32)))
            arrays = [on_device(array) for array in (q, k, v)]
            expected, sums = reference(q, k, v, causal)
            name = f"attention {heads}/{heads // group}x{length}x{size}{' causal' if causal else ''}"
            report(name, attention(*arrays, causal, logsums=logsums, PEELED=peeled), expected, 2e-3)
            report(f"{name}, logsums", logsums, sums, 1e-3)
            shares = [on_device(array) for array in share_blocks(arrays[0], causal)]
            report(f"{name}, shared", attention(*arrays, causal, shares=shares, PEELED=peeled), expected, 2e-3)


if __name__ == "__main__":
    main()
