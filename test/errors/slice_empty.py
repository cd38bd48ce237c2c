"""A slice without elements."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.arange(0, 8)[5:5]


SIGNATURE = {"x": "*fp32"}
