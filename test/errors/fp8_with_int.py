"""8-bit floats with integers."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.arange(0, 8) + tl.zeros((8,), tl.float8e5)


SIGNATURE = {"x": "*fp32"}
