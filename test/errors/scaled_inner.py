"""Operands that do not fit."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    v = tl.zeros((32, 32), tl.uint8)
    y = tl.dot_scaled(v, None, "e2m1", v, None, "e4m3")


SIGNATURE = {"x": "*fp32"}
