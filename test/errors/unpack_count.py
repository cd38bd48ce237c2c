"""A tuple unpacked into too few names."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    a, b = (1.0, 2.0, 3.0)
    tl.store(x, a + b)


SIGNATURE = {"x": "*fp32"}
