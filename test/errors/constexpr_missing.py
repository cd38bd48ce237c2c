"""A constant that the signature lacks."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0.0)


SIGNATURE = {"x": "*fp32"}
