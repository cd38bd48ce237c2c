"""A block that is too large."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.zeros((2048, 2048), tl.float32)


SIGNATURE = {"x": "*fp32"}
