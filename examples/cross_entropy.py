"""Cross entropy of rows of logits: the loss in one pass over the row, and its gradient in another.

The forward pass reads a row in chunks. Each column of a chunk keeps its own maximum and its own sum of
exponentials, so that the columns meet only once, behind the loop.
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty, empty_like, on_device, parse_device, report

LOG2E = tl.constexpr(1.4426950408889634)


@tw.jit
def forward_kernel(logits, targets, loss, lse, stride, columns, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   STAGES: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    logits += row * stride
    chunk = tl.arange(0, BLOCK_M)[:, None] * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    # Finite, so that a column without elements has a difference of maxima, not NaN.
    maximum = tl.full((BLOCK_N,), -1e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_N,), dtype=tl.float32)
    for start in tl.range(0, columns, BLOCK_M * BLOCK_N, num_stages=STAGES):
        offsets = start + chunk
        x = tl.load(logits + offsets, mask=offsets < columns, other=-float("inf")).to(tl.float32) * LOG2E
        new_maximum = tl.maximum(maximum, tl.max(x, axis=0))
        total = total * tl.exp2(maximum - new_maximum) + tl.sum(tl.exp2(x - new_maximum[None, :]), axis=0)
        maximum = new_maximum
    largest = tl.max(maximum, axis=0)
    row_lse = (largest + tl.log2(tl.sum(total * tl.exp2(maximum - largest), axis=0))) / LOG2E
    target = tl.load(logits + tl.load(targets + row)).to(tl.float32)
    tl.store(lse + row, row_lse)
    tl.store(loss + row, row_lse - target)


@tw.jit
def backward_kernel(logits, targets, lse, dloss, dlogits, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(logits + row * stride + offsets, mask=mask, other=0.0).to(tl.float32)
    probability = tl.exp2(x * LOG2E - tl.load(lse + row) * LOG2E)
    target = tl.load(targets + row).to(tl.int32)
    gradient = tl.where(offsets == target, probability - 1, probability) * tl.load(dloss + row)
    tl.store(dlogits + row * stride + offsets, gradient.to(dlogits.dtype.element_ty), mask=mask)


def forward(logits, targets, loss=None, BLOCK_M: int = 8, BLOCK_N: int = 1024, STAGES: int = 3, **options):
    """The loss of each row, and the logarithm of its sum of exponentials."""
    rows, columns = logits.shape
    loss = empty((rows,), "float32", logits) if loss is None else loss
    lse = empty((rows,), "float32", logits)
    forward_kernel[(rows,)](logits, targets, loss, lse, columns, columns, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N,
                           STAGES=STAGES, **options)
    return loss, lse


def backward(logits, targets, lse, dloss, dlogits=None, BLOCK: int = 4096, **options):
    """The gradient of the logits, for the gradient `dloss` of each row's loss."""
    rows, columns = logits.shape
    dlogits = empty_like(logits) if dlogits is None else dlogits
    grid = (rows, tw.cdiv(columns, BLOCK))
    backward_kernel[grid](logits, targets, lse, dloss, dlogits, columns, columns, BLOCK=BLOCK, **options)
    return dlogits


def reference(logits, targets, dloss):
    """The same in float64."""
    logits, rows = logits.astype(np.float64), np.arange(len(targets))
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    gradient = shifted / shifted.sum(axis=1, keepdims=True)
    loss = -np.log(gradient[rows, targets])
    gradient[rows, targets] -= 1
    return loss, gradient * dloss[:, None]


def main() -> None:
    parse_device(__doc__)
    for rows, columns, dtype, tolerance in [(37, 1000, np.float32, 1e-5), (5, 50_257, np.float16, 1e-3),
                                            (8, 3, np.float32, 1e-5)]:
        logits = (np.random.randn(rows, columns) * 4).astype(dtype)
        targets = np.random.randint(0, columns, rows)
        dloss = np.random.rand(rows).astype(np.float32)
        expected, expected_gradient = reference(logits, targets, dloss)
        logits, targets, dloss = (on_device(array) for array in (logits, targets, dloss))
        loss, lse = forward(logits, targets)
        name = f"cross entropy {rows}x{columns} {np.dtype(dtype).name}"
        report(name, loss, expected, 1e-5)
        report(f"{name} gradient", backward(logits, targets, lse, dloss), expected_gradient, tolerance)


if __name__ == "__main__":
    main()
