"""An element of a block."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.arange(0, 8)[3]


SIGNATURE = {"x": "*fp32"}
