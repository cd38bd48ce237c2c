"""A combine function that gives another type."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def combine(a, b):
    return (a + b).to(tl.float16)


@tw.jit
def kernel(x):
    tl.store(x, tl.reduce(tl.load(x + tl.arange(0, 8)), 0, combine))


SIGNATURE = {"x": "*fp32"}
