"""Layer normalisation, forward and backward.

The backward pass runs as many programs as the machine holds at once. Each walks over its rows, keeps
the sums of the gradients of weight and bias on the way, and writes them as partial rows; a second kernel
adds the partial rows. There are no atomics: the result is the same in every run. On an NVIDIA GPU the
second kernel is already there when the first one ends: it begins early and waits.
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty, empty_like, on_device, parse_device, processors, report


@tw.jit
def normalise(x, mean, rstd, row, stride, columns, eps, offsets):
    """A row's differences from its average, and 1 / standard deviation. Stores both statistics."""
    mask = offsets < columns
    values = tl.load(x + row * stride + offsets, mask=mask, other=0.0).to(tl.float32)
    average = tl.sum(values, axis=0) / columns
    centered = tl.where(mask, values - average, 0.0)
    variance = tl.sum(centered * centered, axis=0) / columns
    scale = tl.rsqrt(variance + eps)
    tl.store(mean + row, average)
    tl.store(rstd + row, scale)
    return centered, scale


@tw.jit
def forward_kernel(x, y, weight, bias, mean, rstd, stride, rows, columns, eps, BLOCK: tl.constexpr,
                   STAGES: tl.constexpr, WALKS: tl.constexpr):
    """A row of its own for each program; or programs WALK over rows, and keep weight and bias."""
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    if WALKS:
        w, b = tl.load(weight + offsets, mask=mask), tl.load(bias + offsets, mask=mask)
        for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
            centered, scale = normalise(x, mean, rstd, row, stride, columns, eps, offsets)
            result = centered * scale * w.to(tl.float32) + b.to(tl.float32)
            tl.store(y + row * stride + offsets, result.to(y.dtype.element_ty), mask=mask)
    else:
        row = tl.program_id(0)
        centered, scale = normalise(x, mean, rstd, row, stride, columns, eps, offsets)
        w = tl.load(weight + offsets, mask=mask).to(tl.float32)
        b = tl.load(bias + offsets, mask=mask).to(tl.float32)
        tl.store(y + row * stride + offsets, (centered * scale * w + b).to(y.dtype.element_ty), mask=mask)


@tw.jit
def backward_kernel(dy, x, weight, mean, rstd, dx, partial_dw, partial_db, stride, rows, columns,
                    BLOCK: tl.constexpr, STAGES: tl.constexpr, OVERLAP: tl.constexpr):
    if OVERLAP:
        tl.extra.cuda.gdc_launch_dependents()
    program = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    w = tl.load(weight + offsets, mask=mask, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    db = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in tl.range(program, rows, tl.num_programs(0), num_stages=STAGES):
        gradient = tl.load(dy + row * stride + offsets, mask=mask, other=0.0).to(tl.float32)
        values = tl.load(x + row * stride + offsets, mask=mask, other=0.0).to(tl.float32)
        scale = tl.load(rstd + row)
        normal = (values - tl.load(mean + row)) * scale
        weighted = w * gradient
        c1 = tl.sum(normal * weighted, axis=0) / columns
        c2 = tl.sum(weighted, axis=0) / columns
        result = (weighted - (normal * c1 + c2)) * scale
        tl.store(dx + row * stride + offsets, result.to(dx.dtype.element_ty), mask=mask)
        dw += gradient * normal
        db += gradient
    tl.store(partial_dw + program * columns + offsets, dw, mask=mask)
    tl.store(partial_db + program * columns + offsets, db, mask=mask)


@tw.jit
def reduce_kernel(partial_dw, partial_db, dw, db, parts, columns, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  OVERLAP: tl.constexpr):
    if OVERLAP:
        tl.extra.cuda.gdc_wait()
    offsets = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    sum_dw = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    sum_db = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, parts, BLOCK_M):
        part = start + tl.arange(0, BLOCK_M)
        mask = (part[:, None] < parts) & (offsets[None, :] < columns)
        sum_dw += tl.load(partial_dw + part[:, None] * columns + offsets[None, :], mask=mask, other=0.0)
        sum_db += tl.load(partial_db + part[:, None] * columns + offsets[None, :], mask=mask, other=0.0)
    mask = offsets < columns
    tl.store(dw + offsets, tl.sum(sum_dw, axis=0).to(dw.dtype.element_ty), mask=mask)
    tl.store(db + offsets, tl.sum(sum_db, axis=0).to(db.dtype.element_ty), mask=mask)


def forward(x, weight, bias, eps, y=None, programs=None, STAGES: int = 1, **options):
    """Normalise rows; gives y and each row's mean and 1 / standard deviation. Each row has its program, or fewer
    programs walk over them."""
    rows, columns = x.shape
    y = empty_like(x) if y is None else y
    mean, rstd = empty((rows,), "float32", x), empty((rows,), "float32", x)
    programs = min(rows, programs or rows)
    forward_kernel[(programs,)](
        y=y, x=x, weight=weight, bias=bias, mean=mean, rstd=rstd, stride=columns, rows=rows, columns=columns, eps=eps,
        BLOCK=tw.next_power_of_2(columns), STAGES=STAGES, WALKS=programs < rows, **options)
    return y, mean, rstd


def backward(dy, x, weight, mean, rstd, programs=None, dx=None, STAGES: int = 2, overlap: bool = True, **options):
    """Gradients of x, the weight and the bias. `overlap`: the second kernel begins early, where the GPU can do that."""
    rows, columns = x.shape
    programs = min(rows, programs or processors(x))
    dx = empty_like(x) if dx is None else dx
    dw, db = empty_like(weight), empty_like(weight)
    partial_dw, partial_db = (empty((programs, columns), "float32", x) for _ in range(2))
    backward_kernel[(programs,)](dy, x, weight, mean, rstd, dx, partial_dw, partial_db, columns, rows,
                                 columns, BLOCK=tw.next_power_of_2(columns), STAGES=STAGES, OVERLAP=overlap, **options)
    reduce_kernel[(tw.cdiv(columns, 32),)](partial_dw, partial_db, dw, db, programs, columns, BLOCK_M=64, BLOCK_N=32,
                                           OVERLAP=overlap, launch_pdl=overlap)
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
    for rows, columns, dtype, tolerance in [(151, 1000, np.float32, 1e-5), (64, 4096, np.float16, 1e-3)]:
        x, dy = (np.random.randn(rows, columns).astype(dtype) for _ in range(2))
        weight, bias = (np.random.rand(columns).astype(dtype) for _ in range(2))
        expected = reference(x, weight, bias, dy, 1e-5)
        x, dy, weight, bias = (on_device(array) for array in (x, dy, weight, bias))
        y, mean, rstd = forward(x, weight, bias, 1e-5)
        results = (y, *backward(dy, x, weight, mean, rstd))
        for name, result, value in zip(("y", "dx", "dw", "db"), results, expected, strict=True):
            report(f"layer norm {rows}x{columns} {np.dtype(dtype).name} {name}", result, value, tolerance)


if __name__ == "__main__":
    main()
