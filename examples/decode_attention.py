"""Attention of one query against a long cache of keys, as when a model writes a text.

There are too few queries to fill a GPU, so the keys are split: each program computes the attention of
the query heads that share a key head over one part of the keys, and a second kernel weighs the parts.
On an NVIDIA GPU the second kernel is already there when the first one ends: it begins early and waits.
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty, empty_like, on_device, parse_device, processors, report


@tw.jit
def split_kernel(q, k, v, partial, lse, scale, keys, part_keys, heads, GROUP: tl.constexpr, HEAD: tl.constexpr,
                 BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, OVERLAP: tl.constexpr):
    if OVERLAP:
        tl.extra.cuda.gdc_launch_dependents()
    key_head, part = tl.program_id(0), tl.program_id(1)
    group, columns = tl.arange(0, BLOCK_M), tl.arange(0, HEAD)
    rows = key_head * GROUP + group
    inside = group < GROUP
    query = tl.load(q + rows[:, None] * HEAD + columns[None, :], mask=inside[:, None], other=0.0)
    base = key_head.to(tl.int64) * keys * HEAD

    maximum = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    accumulator = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    last = min((part + 1) * part_keys, keys)
    for start in range(part * part_keys, last, BLOCK_N):
        positions = start + tl.arange(0, BLOCK_N)
        visible = positions < last
        key = tl.load(k + base + positions[None, :] * HEAD + columns[:, None], mask=visible[None, :], other=0.0)
        scores = tl.dot(query, key) * (scale * 1.4426950408889634)
        scores = tl.where(visible[None, :], scores, -float("inf"))
        new_maximum = tl.maximum(maximum, tl.max(scores, axis=1))
        weights = tl.exp2(scores - new_maximum[:, None])
        correction = tl.exp2(maximum - new_maximum)
        total = total * correction + tl.sum(weights, axis=1)
        value = tl.load(v + base + positions[:, None] * HEAD + columns[None, :], mask=visible[:, None], other=0.0)
        accumulator = tl.dot(weights.to(value.dtype), value, accumulator * correction[:, None])
        maximum = new_maximum
    result = accumulator / total[:, None]
    row = part * heads + rows
    tl.store(partial + row[:, None] * HEAD + columns[None, :], result, mask=inside[:, None])
    tl.store(lse + row, maximum + tl.log2(total), mask=inside)


@tw.jit
def combine_kernel(partial, lse, output, parts, heads, HEAD: tl.constexpr, BLOCK: tl.constexpr, PARTS: tl.constexpr,
                   OVERLAP: tl.constexpr):
    """Some columns of a head: few, so that one warp has all parts of them and waits for no others."""
    if OVERLAP:
        tl.extra.cuda.gdc_wait()
    head, part = tl.program_id(0), tl.arange(0, PARTS)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < HEAD
    rows = part * heads + head
    exponents = tl.load(lse + rows, mask=part < parts, other=-float("inf"))
    mask = (part < parts)[:, None] & inside[None, :]
    values = tl.load(partial + rows[:, None] * HEAD + columns[None, :], mask=mask, other=0.0)
    weights = tl.exp2(exponents - tl.max(exponents, axis=0))
    result = tl.sum(values * weights[:, None], axis=0) / tl.sum(weights, axis=0)
    tl.store(output + head * HEAD + columns, result.to(output.dtype.element_ty), mask=inside)


def decode_attention(q, k, v, output=None, parts: int | None = None, BLOCK_N: int = 64, overlap: bool = True,
                     **options):
    """Attention of q (batch, heads, size) over k and v (batch, key heads, keys, size). `overlap`: the second kernel
    begins early, where the GPU can do that."""
    batch, heads, size = q.shape
    key_heads, keys = k.shape[1:3]
    parts = parts or tw.cdiv(4 * processors(q), batch * key_heads)
    part_keys = tw.cdiv(tw.cdiv(keys, parts), BLOCK_N) * BLOCK_N
    parts = tw.cdiv(keys, part_keys)
    output = empty_like(q) if output is None else output
    partial, lse = empty((parts, batch * heads, size), "float32", q), empty((parts, batch * heads), "float32", q)
    group = heads // key_heads
    split_kernel[(batch * key_heads, parts)](q, k, v, partial, lse, size**-0.5, keys, part_keys, batch * heads,
                                             GROUP=group, HEAD=size, BLOCK_M=max(16, tw.next_power_of_2(group)),
                                             BLOCK_N=BLOCK_N, OVERLAP=overlap, **options)
    block = min(size, 32)
    combine_kernel[(batch * heads, tw.cdiv(size, block))](
        partial, lse, output, parts, batch * heads, HEAD=size, BLOCK=block, PARTS=tw.next_power_of_2(parts),
        OVERLAP=overlap, num_warps=1, launch_pdl=overlap)
    return output


def reference(q, k, v):
    """The same in float64."""
    q, k, v = (array.astype(np.float64) for array in (q, k, v))
    batch, heads, size = q.shape
    grouped = q.reshape(batch, k.shape[1], -1, size)
    scores = grouped @ k.swapaxes(2, 3) * size**-0.5
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True) @ v).reshape(q.shape)


def main() -> None:
    parse_device(__doc__)
    for batch, heads, key_heads, keys, size in [(1, 8, 2, 1000, 64), (3, 6, 2, 77, 48), (2, 4, 4, 2048, 128)]:
        q = np.random.randn(batch, heads, size).astype(np.float16)
        k, v = (np.random.randn(batch, key_heads, keys, size).astype(np.float16) for _ in range(2))
        result = decode_attention(*(on_device(array) for array in (q, k, v)))
        report(f"decode attention {batch}x{heads}/{key_heads}x{keys}x{size}", result, reference(q, k, v), 2e-3)


if __name__ == "__main__":
    main()
