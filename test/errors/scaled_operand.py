"""An operand of another type than its format."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    v = tl.zeros((32, 32), tl.float32)
    y = tl.dot_scaled(v, None, "e4m3", v, None, "e4m3")


SIGNATURE = {"x": "*fp32"}
