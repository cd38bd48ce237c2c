"""An import."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    import math


SIGNATURE = {"x": "*fp32"}
