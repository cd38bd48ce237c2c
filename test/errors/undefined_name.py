"""A name that is not defined, close to one that is."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x + ofsets, 0.0)


SIGNATURE = {"x": "*fp32", "BLOCK": 64}
