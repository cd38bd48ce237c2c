"""A variable that changes its type in a loop."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    total = 0
    for i in range(n):
        total += tl.load(x + i)
    tl.store(x, total)


SIGNATURE = {"x": "*fp16", "n": "i32"}
