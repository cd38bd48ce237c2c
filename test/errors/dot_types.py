"""A product of two types."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))


SIGNATURE = {"x": "*fp32"}
