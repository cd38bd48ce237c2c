"""A lambda."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    f = lambda a: a + 1


SIGNATURE = {"x": "*fp32"}
