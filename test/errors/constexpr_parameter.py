"""A value of the program for a constexpr parameter of a function."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def fill(x, SIZE: tl.constexpr):
    tl.store(x + tl.arange(0, SIZE), 0.0)


@tw.jit
def kernel(x, n):
    fill(x, n)


SIGNATURE = {"x": "*fp32", "n": "i32"}
