"""A dimension that the block lacks."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    i = tl.arange(0, 8)
    y = tl.gather(i, i, 1)


SIGNATURE = {"x": "*fp32"}
