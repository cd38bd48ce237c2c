"""A product of blocks that do not fit."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.dot(tl.zeros((16, 32), tl.float16), tl.zeros((16, 32), tl.float16))


SIGNATURE = {"x": "*fp32"}
