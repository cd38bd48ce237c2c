"""A precision that does not exist."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.dot(tl.zeros((16, 16), tl.float32), tl.zeros((16, 16), tl.float32), input_precision='fast')


SIGNATURE = {"x": "*fp32"}
