"""Attention backward: the gradients of q, k and v from that of the output; grouped heads, causal or not.

A program owns a block of keys and walks the queries: five products, of which two give its parts of dk and dv, and one
is added to dq in memory. Where runs must agree in every bit, another kernel computes dq by walking the keys instead.
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty, empty_like, on_device, parse_device, report
from attention_descriptors import LOG2_E, attention, reference
from tiles import add_rows, describe, describe_rows, heads_together, last_blocks_first, load_rows, store_rows


@tw.jit
def prepare_kernel(output, d_output, logsums, sums, deltas, dq, length, padded, HEAD: tl.constexpr,
                   ROWS: tl.constexpr, ZERO: tl.constexpr):
    """sum(output * d_output) of each row, and its logsum to base 2 (infinite behind the last row); zeros in dq."""
    head = tl.program_id(1).to(tl.int64)
    rows, columns = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, HEAD)
    inside = rows < length
    places = (head * length + rows)[:, None] * HEAD + columns[None, :]
    x = tl.load(output + places, mask=inside[:, None], other=0.0).to(tl.float32)
    dx = tl.load(d_output + places, mask=inside[:, None], other=0.0).to(tl.float32)
    logsum = tl.load(logsums + head * length + rows, mask=inside, other=float("inf"))
    tl.store(sums + head * padded + rows, logsum * LOG2_E)
    tl.store(deltas + head * padded + rows, tl.sum(x * dx, axis=1))
    if ZERO:
        tl.store(dq + places, tl.zeros((ROWS, HEAD), tl.float32), mask=inside[:, None])


@tw.jit
def keys_kernel(queries, keys, values, d_output, sums, deltas, dq, dk, dv, scale, length, padded, kv_heads, together,
                HEAD: tl.constexpr, GROUP: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                CAUSAL: tl.constexpr, EVEN: tl.constexpr, ADD: tl.constexpr):
    """dk and dv of a block of keys; its part of dq is added in memory if ADD. Products are transposed, so that the
    weights and their gradients are left operands as they come."""
    blocks = tl.cdiv(length, BLOCK_N)
    block, kv_head = last_blocks_first(tl.program_id(0), blocks, kv_heads, together)
    start = (blocks - 1 - block) * BLOCK_N  # the first keys are visible to most queries
    key = load_rows(keys, kv_head, start, length)
    value = load_rows(values, kv_head, start, length)
    columns = start + tl.arange(0, BLOCK_N)
    d_key = tl.zeros((BLOCK_N, HEAD), dtype=tl.float32)
    d_value = tl.zeros((BLOCK_N, HEAD), dtype=tl.float32)
    first = start // BLOCK_M * BLOCK_M if CAUSAL else 0
    head, row = kv_head * GROUP, first
    for _ in range(0, GROUP * tl.cdiv(length - first, BLOCK_M)):  # all blocks of queries, of each head of the group
        query = load_rows(queries, head, row, length)
        d_out = load_rows(d_output, head, row, length)
        # Products stand as early as they can, so that each runs while the numbers of the one before are worked on.
        scores = tl.dot(key, query.T)
        d_weights = tl.dot(value, d_out.T)
        if CAUSAL:
            if row < start + BLOCK_N:  # the block is on the diagonal
                rows = row + tl.arange(0, BLOCK_M)
                scores = tl.where(rows[None, :] >= columns[:, None], scores, float("-inf"))
        if not EVEN:
            scores = tl.where(columns[:, None] < length, scores, float("-inf"))
        weights = tl.exp2(scores * (scale * LOG2_E) - sums.load([head * padded + row])[None, :])
        d_value = tl.dot(weights.to(d_out.dtype), d_out, d_value)
        d_scores = (weights * (d_weights - deltas.load([head * padded + row])[None, :])).to(query.dtype)
        if ADD:
            d_query = tl.dot(d_scores.T, key)
        d_key = tl.dot(d_scores, query, d_key)
        if ADD:
            add_rows(dq, head, row, length, d_query)
        is_last = row + BLOCK_M >= length  # of the head
        head, row = head + is_last, tl.where(is_last, first, row + BLOCK_M)
    store_rows(dk, kv_head, start, length, (d_key * scale).to(dk.dtype))
    store_rows(dv, kv_head, start, length, d_value.to(dv.dtype))


@tw.jit
def queries_kernel(queries, keys, values, d_output, sums, deltas, dq, scale, length, padded,
                   HEAD: tl.constexpr, GROUP: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   CAUSAL: tl.constexpr, EVEN: tl.constexpr):
    """dq of a block of queries."""
    row, head = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK_M, tl.program_id(1)
    query = load_rows(queries, head, row, length)
    d_out = load_rows(d_output, head, row, length)
    sum2, delta = sums.load([head * padded + row]), deltas.load([head * padded + row])
    rows = row + tl.arange(0, BLOCK_M)
    d_query = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    for start in range(0, min(row + BLOCK_M, length) if CAUSAL else length, BLOCK_N):
        key = load_rows(keys, head // GROUP, start, length)
        value = load_rows(values, head // GROUP, start, length)
        scores = tl.dot(query, key.T)
        d_weights = tl.dot(d_out, value.T)
        weights = tl.exp2(scores * (scale * LOG2_E) - sum2[:, None])
        columns = start + tl.arange(0, BLOCK_N)
        if CAUSAL:
            weights = tl.where(rows[:, None] >= columns[None, :], weights, 0.0)
        if not EVEN:
            weights = tl.where(columns[None, :] < length, weights, 0.0)
        d_scores = weights * (d_weights - delta[:, None])
        d_query = tl.dot(d_scores.to(key.dtype), key, d_query)
    store_rows(dq, head, row, length, (d_query * scale).to(dq.dtype))


@tw.jit
def finish_kernel(total, dq, scale, size, BLOCK: tl.constexpr):
    """dq from the sums in memory."""
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(total + places, mask=places < size, other=0.0) * scale
    tl.store(dq + places, values.to(dq.dtype.element_ty), mask=places < size)


def attention_backward(q, k, v, output, logsums, d_output, causal, gradients=None, deterministic=False,
                       BLOCK_M=32, BLOCK_N=64, **options):
    """The gradients of q, k and v, from what `attention` took and gave and the gradient of its output."""
    heads, length, size = q.shape
    dq, dk, dv = gradients or (empty_like(q), empty_like(k), empty_like(v))
    blocks, scale, even = tw.cdiv(length, BLOCK_M), size**-0.5, length % BLOCK_M == 0 and length % BLOCK_N == 0
    padded = blocks * BLOCK_M
    sums, deltas = (empty((heads, padded), "float32", like=q) for _ in range(2))
    total = dq if deterministic else empty((heads, length, size), "float32", like=q)
    prepare_kernel[(blocks, heads)](output, d_output, logsums, sums, deltas, total, length, padded, HEAD=size,
                                    ROWS=BLOCK_M, ZERO=not deterministic)

    def rows(array, block):
        return describe_rows(array, block, even)

    shared = {"HEAD": size, "GROUP": heads // k.shape[0], "BLOCK_M": BLOCK_M, "BLOCK_N": BLOCK_N, "CAUSAL": causal,
              "EVEN": even, **options}
    arrays = [rows(q, BLOCK_M), rows(k, BLOCK_N), rows(v, BLOCK_N), rows(d_output, BLOCK_M),
              describe(sums.reshape(-1), BLOCK_M), describe(deltas.reshape(-1), BLOCK_M), rows(total, BLOCK_M)]
    # A head's queries, gradients of the output and of q are read, and added to.
    together = heads_together(k, heads // k.shape[0] * 8 * length * size) if causal else 1
    keys_kernel[(tw.cdiv(length, BLOCK_N) * k.shape[0],)](
        *arrays, rows(dk, BLOCK_N), rows(dv, BLOCK_N), scale, length, padded, k.shape[0], together,
        ADD=not deterministic, **shared)
    if deterministic:
        queries_kernel[(blocks, heads)](*arrays, scale, length, padded, **shared)
    else:
        count = heads * length * size
        finish_kernel[(tw.cdiv(count, 4096),)](total, dq, scale, count, BLOCK=4096)
    return dq, dk, dv


def reference_gradients(q, k, v, d_output, causal):
    """The gradients in double precision."""
    group, scale = q.shape[0] // k.shape[0], q.shape[-1] ** -0.5
    q, k, v, d_output = (array.astype(np.float64) for array in (q, k.repeat(group, 0), v.repeat(group, 0), d_output))
    output, logsums = reference(q, k, v, causal)
    weights = np.exp(q @ k.swapaxes(1, 2) * scale - logsums[..., None])
    if causal:
        weights = np.tril(weights)
    deltas = (output * d_output).sum(axis=-1, keepdims=True)
    d_scores = weights * (d_output @ v.swapaxes(1, 2) - deltas) * scale
    parts = d_scores @ k, d_scores.swapaxes(1, 2) @ q, weights.swapaxes(1, 2) @ d_output
    return parts[0], *(part.reshape(-1, group, *part.shape[1:]).sum(axis=1) for part in parts[1:])


def main() -> None:
    parse_device(__doc__)
    for heads, group, length, size in [(2, 1, 256, 64), (4, 2, 128, 128), (6, 3, 200, 64)]:
        for causal, deterministic in [(False, False), (True, False), (True, True)]:
            q, d_output = (np.random.randn(heads, length, size).astype(np.float16) for _ in range(2))
            k, v = (np.random.randn(heads // group, length, size).astype(np.float16) for _ in range(2))
            inputs = [on_device(array) for array in (q, k, v)]
            logsums = empty_like(on_device(np.empty((heads, length), np.float32)))
            output = attention(*inputs, causal, logsums=logsums)
            results = attention_backward(*inputs, output, logsums, on_device(d_output), causal, None, deterministic)
            kind = f"{heads}/{heads // group}x{length}x{size}{' causal' if causal else ''}"
            for name, result, expected in zip(("dq", "dk", "dv"), results,
                                              reference_gradients(q, k, v, d_output, causal), strict=True):
                report(f"attention backward {kind}{' deterministic' if deterministic else ''}, {name}", result,
                       expected, 3e-3)


if __name__ == "__main__":
    main()
