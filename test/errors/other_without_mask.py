"""`other` without a mask."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.load(x, other=0.0)


SIGNATURE = {"x": "*fp32"}
