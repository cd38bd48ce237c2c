"""A scale for other groups."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    v = tl.zeros((32, 64), tl.uint8)
    w = tl.zeros((64, 32), tl.uint8)
    y = tl.dot_scaled(v, tl.zeros((32, 8), tl.uint8), "e4m3", w, None, "e4m3")


SIGNATURE = {"x": "*fp32"}
