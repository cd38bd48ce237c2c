"""Attention forward: softmax(q @ k.T * scale) @ v without the matrix of scores in memory."""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty_like, on_device, parse_device, report


@tw.jit
def attention_kernel(q, k, v, output, scale, stride_head, stride_row, length,
                     HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     CAUSAL: tl.constexpr):
    block, head = tl.program_id(0), tl.program_id(1)
    base = head.to(tl.int64) * stride_head
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, HEAD)
    row_offsets = rows[:, None] * stride_row + columns[None, :]
    query = tl.load(q + base + row_offsets, mask=rows[:, None] < length, other=0.0)

    maximum = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    accumulator = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    last = min((block + 1) * BLOCK_M, length) if CAUSAL else length
    for start in range(0, last, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        key_mask = keys < length
        key = tl.load(k + base + keys[None, :] * stride_row + columns[:, None],
                      mask=key_mask[None, :], other=0.0)
        scores = tl.dot(query, key) * (scale * 1.4426950408889634)
        visible = key_mask[None, :]
        if CAUSAL:
            visible = visible & (rows[:, None] >= keys[None, :])
        scores = tl.where(visible, scores, -float("inf"))
        new_maximum = tl.maximum(maximum, tl.max(scores, axis=1))
        weights = tl.exp2(scores - new_maximum[:, None])
        correction = tl.exp2(maximum - new_maximum)
        total = total * correction + tl.sum(weights, axis=1)
        value = tl.load(v + base + keys[:, None] * stride_row + columns[None, :],
                        mask=key_mask[:, None], other=0.0)
        accumulator = tl.dot(weights.to(value.dtype), value, accumulator * correction[:, None])
        maximum = new_maximum
    result = accumulator / total[:, None]
    tl.store(output + base + row_offsets, result.to(output.dtype.element_ty), mask=rows[:, None] < length)


def attention(q, k, v, causal: bool, output=None, BLOCK_M: int = 64, BLOCK_N: int = 32, **options):
    """Attention over arrays of shape (heads, length, head size)."""
    heads, length, size = q.shape
    output = empty_like(q) if output is None else output
    grid = (tw.cdiv(length, BLOCK_M), heads)
    attention_kernel[grid](q, k, v, output, size**-0.5, length * size, size, length, HEAD=size,
                           BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, CAUSAL=causal, **options)
    return output


def reference(q, k, v, causal):
    q, k, v = (array.astype(np.float64) for array in (q, k, v))
    scores = q @ k.swapaxes(1, 2) * q.shape[-1] ** -0.5
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[1:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def main() -> None:
    parse_device(__doc__)
    for dtype, tolerance in ((np.float16, 2e-3), (np.float32, 2e-3)):
        for heads, length, size, causal in [(4, 256, 64, False), (4, 256, 64, True), (3, 200, 32, True)]:
            q, k, v = (np.random.randn(heads, length, size).astype(dtype) for _ in range(3))
            result = attention(*(on_device(array) for array in (q, k, v)), causal)
            name = f"attention {heads}x{length}x{size} {np.dtype(dtype).name}{' causal' if causal else ''}"
            report(name, result, reference(q, k, v, causal), tolerance)


if __name__ == "__main__":
    main()
