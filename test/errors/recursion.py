"""A function that calls itself."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def again(x):
    return again(x)


@tw.jit
def kernel(x):
    tl.store(x, again(x))


SIGNATURE = {"x": "*fp32"}
