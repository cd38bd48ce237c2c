"""A function of Python for each element."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.map_elementwise(tl.exp, tl.arange(0, 8))


SIGNATURE = {"x": "*fp32"}
