"""A block for an element."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def spread(a):
    return a + tl.arange(0, 4)


@tw.jit
def kernel(x):
    y = tl.map_elementwise(spread, tl.arange(0, 8))


SIGNATURE = {"x": "*fp32"}
