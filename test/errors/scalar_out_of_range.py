"""A number that does not fit the type."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.arange(0, 8).to(tl.int8) + 300


SIGNATURE = {"x": "*fp32"}
