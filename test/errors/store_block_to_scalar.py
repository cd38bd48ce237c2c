"""A block stored to one address."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.store(x, tl.arange(0, 8))


SIGNATURE = {"x": "*fp32"}
