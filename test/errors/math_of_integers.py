"""A function of floats on integers."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.exp(tl.arange(0, 8))


SIGNATURE = {"x": "*fp32"}
