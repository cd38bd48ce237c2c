"""A variable of the module."""

import tilewright as tw
import tilewright.language as tl

SCALE = 2.0


@tw.jit
def kernel(x):
    tl.store(x, tl.load(x) * SCALE)


SIGNATURE = {"x": "*fp32"}
