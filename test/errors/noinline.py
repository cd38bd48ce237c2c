"""A function that is to stay a call."""

import tilewright as tw
import tilewright.language as tl


@tw.jit(noinline=True)
def helper(x):
    return x


@tw.jit
def kernel(x):
    tl.store(x, helper(1.0))


SIGNATURE = {"x": "*fp32"}
