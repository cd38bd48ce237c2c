"""A generator expression."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.store(x, sum(i * 1.0 for i in (1, 2)))


SIGNATURE = {"x": "*fp32"}
