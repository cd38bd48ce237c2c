"""A Python function of the module."""

import tilewright as tw
import tilewright.language as tl


def double(value):
    return value * 2


@tw.jit
def kernel(x):
    tl.store(x, double(tl.load(x)))


SIGNATURE = {"x": "*fp32"}
