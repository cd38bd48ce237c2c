"""A scan of a scalar."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.cumsum(tl.load(x))


SIGNATURE = {"x": "*fp32"}
