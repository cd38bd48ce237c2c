"""A condition of a loop that is a block."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    while tl.arange(0, 8) < 3:
        tl.store(x, 0.0)


SIGNATURE = {"x": "*fp32"}
