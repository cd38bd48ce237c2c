"""A combine function that gives too few values."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def combine(a, b, c, d):
    return a + c


@tw.jit
def kernel(x):
    v = tl.load(x + tl.arange(0, 8))
    y = tl.associative_scan((v, v), 0, combine)


SIGNATURE = {"x": "*fp32"}
