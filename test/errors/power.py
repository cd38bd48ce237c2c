"""A power of a value of the program."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.load(x) ** 2


SIGNATURE = {"x": "*fp32"}
