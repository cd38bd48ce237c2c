"""A value of the program where a constant is needed."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    tl.store(x + tl.arange(0, n), 0.0)


SIGNATURE = {"x": "*fp32", "n": "i32"}
