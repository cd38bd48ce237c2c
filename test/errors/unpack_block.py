"""A block cannot be unpacked."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    a, b = tl.arange(0, 2)


SIGNATURE = {"x": "*fp32"}
