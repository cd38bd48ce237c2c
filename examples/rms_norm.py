"""RMS normalisation, forward and backward.

The backward pass runs as many programs as the machine holds at once. Each walks over its rows, keeps
the sum of the weight's gradient on the way, and writes it as one partial row; a second kernel adds the
partial rows. There are no atomics: the result is the same in every run. On an NVIDIA GPU the second
kernel is already there when the first one ends: it begins early and waits.
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty, empty_like, on_device, parse_device, processors, report


@tw.jit
def forward_kernel(x, y, weight, rstd, stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    values = tl.load(x + row * stride + offsets, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(values * values, axis=0) / columns + eps)
    tl.store(rstd + row, scale)
    w = tl.load(weight + offsets, mask=mask).to(tl.float32)
    tl.store(y + row * stride + offsets, (values * scale * w).to(y.dtype.element_ty), mask=mask)


@tw.jit
def backward_kernel(dy, x, weight, rstd, dx, partial, stride, rows, columns, BLOCK: tl.constexpr,
                    STAGES: tl.constexpr, OVERLAP: tl.constexpr):
    if OVERLAP:
        tl.extra.cuda.gdc_launch_dependents()
    program = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    w = tl.load(weight + offsets, mask=mask, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in tl.range(program, rows, tl.num_programs(0), num_stages=STAGES):
        gradient = tl.load(dy + row * stride + offsets, mask=mask, other=0.0).to(tl.float32)
        values = tl.load(x + row * stride + offsets, mask=mask, other=0.0).to(tl.float32)
        scale = tl.load(rstd + row)
        normal = values * scale
        weighted = gradient * w
        shared = tl.sum(normal * weighted, axis=0) / columns
        result = (weighted - normal * shared) * scale
        tl.store(dx + row * stride + offsets, result.to(dx.dtype.element_ty), mask=mask)
        dw += gradient * normal
    tl.store(partial + program * columns + offsets, dw, mask=mask)


@tw.jit
def reduce_kernel(partial, result, parts, columns, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  OVERLAP: tl.constexpr):
    if OVERLAP:
        tl.extra.cuda.gdc_wait()
    offsets = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, parts, BLOCK_M):
        part = start + tl.arange(0, BLOCK_M)
        mask = (part[:, None] < parts) & (offsets[None, :] < columns)
        total += tl.load(partial + part[:, None] * columns + offsets[None, :], mask=mask, other=0.0)
    result_sum = tl.sum(total, axis=0).to(result.dtype.element_ty)
    tl.store(result + offsets, result_sum, mask=offsets < columns)


def forward(x, weight, eps, y=None, **options):
    """Scale rows to a root mean square of one; gives y and each row's 1 / root mean square."""
    rows, columns = x.shape
    y = empty_like(x) if y is None else y
    rstd = empty((rows,), "float32", x)
    forward_kernel[(rows,)](x, y, weight, rstd, columns, columns, eps, BLOCK=tw.next_power_of_2(columns), **options)
    return y, rstd


def backward(dy, x, weight, rstd, programs=None, dx=None, STAGES: int = 2, overlap: bool = True, **options):
    """Gradients of x and the weight. `overlap`: the second kernel begins early, where the GPU can do that."""
    rows, columns = x.shape
    programs = min(rows, programs or processors(x))
    dx, dw = empty_like(x) if dx is None else dx, empty_like(weight)
    partial = empty((programs, columns), "float32", x)
    backward_kernel[(programs,)](dy, x, weight, rstd, dx, partial, columns, rows, columns,
                                 BLOCK=tw.next_power_of_2(columns), STAGES=STAGES, OVERLAP=overlap, **options)
    reduce_kernel[(tw.cdiv(columns, 32),)](partial, dw, programs, columns, BLOCK_M=64, BLOCK_N=32, OVERLAP=overlap,
                                           launch_pdl=overlap)
    return dx, dw


def reference(x, weight, dy, eps):
    """The same in float64."""
    x, weight, dy = (array.astype(np.float64) for array in (x, weight, dy))
    rstd = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps)
    normal, weighted = x * rstd, dy * weight
    dx = (weighted - normal * (normal * weighted).mean(axis=1, keepdims=True)) * rstd
    return normal * weight, dx, (dy * normal).sum(axis=0)


def main() -> None:
    parse_device(__doc__)
    for rows, columns, dtype, tolerance in [(151, 1000, np.float32, 1e-5), (64, 4096, np.float16, 1e-3)]:
        x, dy = (np.random.randn(rows, columns).astype(dtype) for _ in range(2))
        weight = np.random.rand(columns).astype(dtype)
        expected = reference(x, weight, dy, 1e-5)
        x, dy, weight = (on_device(array) for array in (x, dy, weight))
        y, rstd = forward(x, weight, 1e-5)
        results = (y, *backward(dy, x, weight, rstd))
        for name, result, value in zip(("y", "dx", "dw"), results, expected, strict=True):
            report(f"rms norm {rows}x{columns} {np.dtype(dtype).name} {name}", result, value, tolerance)


if __name__ == "__main__":
    main()
