"""One result for two elements."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def first(a, b):
    return a


@tw.jit
def kernel(x):
    y = tl.map_elementwise(first, tl.arange(0, 8), pack=2)


SIGNATURE = {"x": "*fp32"}
