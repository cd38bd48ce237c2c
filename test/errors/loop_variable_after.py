"""The variable of a loop after it."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    for i in range(n):
        tl.store(x + i, 0.0)
    tl.store(x + i, 1.0)


SIGNATURE = {"x": "*fp32", "n": "i32"}
