"""A tuple that grows in a loop."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    t = (1.0,)
    for _ in range(n):
        t = t + (2.0,)
    tl.store(x, t[0])


SIGNATURE = {"x": "*fp32", "n": "i32"}
