"""A value that is no block of the descriptor."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    x.store([0, 0], tl.zeros((16, 16), tl.float16))


SIGNATURE = {"x": "tensordesc<fp16[16,32]>"}
