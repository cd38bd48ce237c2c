"""A reduction of a scalar."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.sum(tl.load(x))


SIGNATURE = {"x": "*fp32"}
