"""A transpose of one dimension."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.trans(tl.arange(0, 8))


SIGNATURE = {"x": "*fp32"}
