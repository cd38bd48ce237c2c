"""A block whose size is no power of two."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.arange(0, 96)


SIGNATURE = {"x": "*fp32"}
