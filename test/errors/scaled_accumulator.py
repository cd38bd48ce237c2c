"""An accumulator of another type."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    v = tl.zeros((32, 32), tl.uint8)
    y = tl.dot_scaled(v, None, "e4m3", v, None, "e4m3", acc=tl.zeros((32, 32), tl.float16))


SIGNATURE = {"x": "*fp32"}
