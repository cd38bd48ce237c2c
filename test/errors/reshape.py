"""A shape with another number of elements."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.reshape(tl.arange(0, 8), (3, 3))


SIGNATURE = {"x": "*fp32"}
