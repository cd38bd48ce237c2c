"""A store through a read-only pointer."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x: tl.const, y):
    tl.store(x, tl.load(y))


SIGNATURE = {"x": "*fp32", "y": "*fp32"}
