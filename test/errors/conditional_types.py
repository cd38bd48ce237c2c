"""A conditional expression of two types."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    tl.store(x, tl.load(x) if n > 3 else n)


SIGNATURE = {"x": "*fp32", "n": "i32"}
