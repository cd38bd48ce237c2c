"""Fused softmax: each program reads a row once, and writes it once."""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty_like, on_device, parse_device, report


@tw.jit
def softmax_kernel(output, input, input_stride, output_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(input + row * input_stride + offsets, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(output + row * output_stride + offsets, y, mask=mask)


def softmax(x, y=None, **options):
    """Softmax along the last dimension of a 2-D array (float16, bfloat16 or float32)."""
    rows, columns = x.shape
    y = empty_like(x) if y is None else y
    softmax_kernel[(rows,)](y, x, columns, columns, columns, BLOCK=tw.next_power_of_2(columns), **options)
    return y


def main() -> None:
    parse_device(__doc__)
    for rows, columns in [(64, 781), (512, 4096), (3, 1)]:
        x = np.random.randn(rows, columns).astype(np.float32) * 4
        exponentials = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
        expected = exponentials / exponentials.sum(axis=1, keepdims=True)
        report(f"softmax {rows}x{columns}", softmax(on_device(x)), expected, 1e-6)


if __name__ == "__main__":
    main()
