"""An assignment to an attribute."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    x.y = 1


SIGNATURE = {"x": "*fp32"}
