"""A quotient of signed and unsigned integers."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.arange(0, 8) // tl.arange(0, 8).to(tl.uint32)


SIGNATURE = {"x": "*fp32"}
