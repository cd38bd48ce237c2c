"""Arithmetic with pointers."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = x * 2


SIGNATURE = {"x": "*fp32"}
