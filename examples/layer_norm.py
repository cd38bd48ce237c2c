"""Layer normalisation, forward and backward.

The backward pass of the weights sums over all rows without atomics: each program adds up a set of
rows and writes one partial row, and a second kernel adds the partial rows. The result is the same
in every run.
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty_like, on_device, parse_device, report


@tw.jit
def forward_kernel(x, y, weight, bias, mean, rstd, stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    values = tl.load(x + row * stride + offsets, mask=mask, other=0.0).to(tl.float32)
    average = tl.sum(values, axis=0) / columns
    centered = tl.where(mask, values - average, 0.0)
    variance = tl.sum(centered * centered, axis=0) / columns
    scale = 1 / tl.sqrt(variance + eps)
    tl.store(mean + row, average)
    tl.store(rstd + row, scale)
    w = tl.load(weight + offsets, mask=mask)
    b = tl.load(bias + offsets, mask=mask)
    tl.store(y + row * stride + offsets, centered * scale * w + b, mask=mask)


@tw.jit
def backward_kernel(dy, x, weight, mean, rstd, dx, partial_dw, partial_db, stride, rows, columns,
                    BLOCK: tl.constexpr):
    program = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    w = tl.load(weight + offsets, mask=mask, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    db = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        gradient = tl.load(dy + row * stride + offsets, mask=mask, other=0.0).to(tl.float32)
        values = tl.load(x + row * stride + offsets, mask=mask, other=0.0).to(tl.float32)
        scale = tl.load(rstd + row)
        normal = tl.where(mask, (values - tl.load(mean + row)) * scale, 0.0)
        weighted = w * gradient
        c1 = tl.sum(normal * weighted, axis=0) / columns
        c2 = tl.sum(weighted, axis=0) / columns
        tl.store(dx + row * stride + offsets, (weighted - (normal * c1 + c2)) * scale, mask=mask)
        dw += gradient * normal
        db += gradient
    tl.store(partial_dw + program * columns + offsets, dw, mask=mask)
    tl.store(partial_db + program * columns + offsets, db, mask=mask)


@tw.jit
def reduce_kernel(partial, result, parts, columns, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, parts, BLOCK_M):
        part = start + tl.arange(0, BLOCK_M)
        mask = (part[:, None] < parts) & (offsets[None, :] < columns)
        total += tl.load(partial + part[:, None] * columns + offsets[None, :], mask=mask, other=0.0)
    tl.store(result + offsets, tl.sum(total, axis=0), mask=offsets < columns)


def forward(x, weight, bias, eps):
    """Normalise rows; gives y and each row's mean and 1 / standard deviation."""
    rows, columns = x.shape
    y = empty_like(x)
    mean, rstd = empty_like(x[:, 0], "float32"), empty_like(x[:, 0], "float32")
    forward_kernel[(rows,)](y=y, x=x, weight=weight, bias=bias, mean=mean, rstd=rstd, stride=columns,
                            columns=columns, eps=eps, BLOCK=tw.next_power_of_2(columns))
    return y, mean, rstd


def backward(dy, x, weight, mean, rstd, programs=8):
    """Gradients of x, the weight and the bias."""
    rows, columns = x.shape
    block = tw.next_power_of_2(columns)
    dx, dw, db = empty_like(x), empty_like(weight), empty_like(weight)
    partial_dw = empty_like(x[:1].repeat(programs, 0) if isinstance(x, np.ndarray)
                            else x[:1].repeat(programs, 1), "float32")
    partial_db = empty_like(partial_dw)
    backward_kernel[(programs,)](dy, x, weight, mean, rstd, dx, partial_dw, partial_db, columns, rows,
                                 columns, BLOCK=block)
    for partial, result in ((partial_dw, dw), (partial_db, db)):
        reduce_kernel[(tw.cdiv(columns, 128),)](partial, result, programs, columns, BLOCK_M=8, BLOCK_N=128)
    return dx, dw, db


def reference(x, weight, bias, dy, eps):
    """The same in float64."""
    x, weight, bias, dy = (array.astype(np.float64) for array in (x, weight, bias, dy))
    rstd = 1 / np.sqrt(x.var(axis=1, keepdims=True) + eps)
    normal = (x - x.mean(axis=1, keepdims=True)) * rstd
    weighted = dy * weight
    c1 = (normal * weighted).mean(axis=1, keepdims=True)
    dx = (weighted - (normal * c1 + weighted.mean(axis=1, keepdims=True))) * rstd
    return normal * weight + bias, dx, (dy * normal).sum(axis=0), dy.sum(axis=0)


def main() -> None:
    parse_device(__doc__)
    rows, columns, eps = 151, 1000, 1e-5
    x, dy = (np.random.randn(rows, columns).astype(np.float32) for _ in range(2))
    weight, bias = (np.random.rand(columns).astype(np.float32) for _ in range(2))
    expected = reference(x, weight, bias, dy, eps)
    x, dy, weight, bias = (on_device(array) for array in (x, dy, weight, bias))
    y, mean, rstd = forward(x, weight, bias, eps)
    results = (y, *backward(dy, x, weight, mean, rstd))
    for name, result, value in zip(("y", "dx", "dw", "db"), results, expected, strict=True):
        report(f"layer norm {name}", result, value, 1e-5)


if __name__ == "__main__":
    main()
