"""A histogram of floats."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.histogram(tl.load(x + tl.arange(0, 8)), 4)


SIGNATURE = {"x": "*fp32"}
