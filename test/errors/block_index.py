"""A place that a block does not have."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.arange(0, 8)[8]


SIGNATURE = {"x": "*fp32"}
