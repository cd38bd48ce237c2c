"""A variable that changes its shape in a loop."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    total = 0.0
    for i in range(n):
        total += tl.load(x + i * 8 + tl.arange(0, 8))
    tl.store(x + tl.arange(0, 8), total)


SIGNATURE = {"x": "*fp32", "n": "i32"}
