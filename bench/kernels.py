"""The kernels that are timed, beside those of the examples."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(z + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


@tw.jit
def argmax_kernel(x, index, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + offsets, mask=offsets < columns, other=-float("inf"))
    tl.store(index + row, tl.argmax(values, axis=0))


@tw.jit
def empty_kernel(a, b, c, d, m, n):
    pass
