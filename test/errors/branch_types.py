"""A variable of two types after an if."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    if n > 3:
        y = tl.load(x)
    else:
        y = tl.zeros((8,), tl.float32)
    tl.store(x + tl.arange(0, 8), y)


SIGNATURE = {"x": "*fp32", "n": "i32"}
