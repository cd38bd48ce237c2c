"""A variable set on one path of an if."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    if n > 3:
        y = 1.0
    tl.store(x, y)


SIGNATURE = {"x": "*fp32", "n": "i32"}
