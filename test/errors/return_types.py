"""A function that returns two types."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def choose(x, n):
    if n > 0:
        return tl.load(x)
    return n


@tw.jit
def kernel(x, n):
    tl.store(x, choose(x, n))


SIGNATURE = {"x": "*fp32", "n": "i32"}
