"""A mask of another shape than the pointer."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.load(x + tl.arange(0, 8), mask=tl.arange(0, 16) < 3)


SIGNATURE = {"x": "*fp32"}
