"""An accumulator of a wrong type."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.dot(tl.zeros((16, 16), tl.bfloat16), tl.zeros((16, 16), tl.bfloat16), tl.zeros((16, 16), tl.bfloat16))


SIGNATURE = {"x": "*fp32"}
