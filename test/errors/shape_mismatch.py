"""Two blocks whose shapes do not match."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.arange(0, 8) + tl.arange(0, 16)


SIGNATURE = {"x": "*fp32"}
