"""A sort of pointers."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.sort(x + tl.arange(0, 8))


SIGNATURE = {"x": "*fp32"}
