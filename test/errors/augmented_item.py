"""Augmented assignment to an item."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    t = (1.0, 2.0)
    t[0] += 1.0
    tl.store(x, t[0])


SIGNATURE = {"x": "*fp32"}
