"""Elements at the places of a block."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    i = tl.arange(0, 4)
    y = tl.arange(0, 8)[i]


SIGNATURE = {"x": "*fp32"}
