"""An assignment to an element."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.arange(0, 8)
    y[0] = 1


SIGNATURE = {"x": "*fp32"}
