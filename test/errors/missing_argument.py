"""A call that lacks an argument."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def add(a, b):
    return a + b


@tw.jit
def kernel(x):
    tl.store(x, add(1.0))


SIGNATURE = {"x": "*fp32"}
