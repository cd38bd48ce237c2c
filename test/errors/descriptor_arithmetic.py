"""Arithmetic on a descriptor."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = x + tl.arange(0, 8)


SIGNATURE = {"x": "tensordesc<fp16[16,32]>"}
