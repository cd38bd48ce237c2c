"""A load from integers."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.load(tl.arange(0, 8))


SIGNATURE = {"x": "*fp32"}
