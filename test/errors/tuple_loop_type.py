"""An item of a tuple that changes its type in a loop."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    t = (0, 1)
    for _ in range(n):
        t = (t[0], t[1] * 0.5)
    tl.store(x, t[0])


SIGNATURE = {"x": "*fp32", "n": "i32"}
