"""A value of the program for a function that runs while compiling."""

import tilewright as tw
import tilewright.language as tl


@tw.constexpr_function
def double(value):
    return value * 2


@tw.jit
def kernel(x):
    tl.store(x, double(tl.load(x)))


SIGNATURE = {"x": "*fp32"}
