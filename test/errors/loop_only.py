"""A variable that only a loop sets."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    for i in range(n):
        last = tl.load(x + i)
    tl.store(x, last)


SIGNATURE = {"x": "*fp32", "n": "i32"}
