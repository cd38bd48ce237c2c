"""A function that runs while compiling asks for the value that a program computes."""

import tilewright as tw
import tilewright.language as tl


@tw.constexpr_function
def double(value):
    return 2 if value else 0


@tw.jit
def kernel(x):
    tl.store(x, double(tl.load(x)))


SIGNATURE = {"x": "*fp32"}
