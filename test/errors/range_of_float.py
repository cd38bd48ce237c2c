"""A range of floats."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    for i in range(0.5):
        tl.store(x, 0.0)


SIGNATURE = {"x": "*fp32"}
