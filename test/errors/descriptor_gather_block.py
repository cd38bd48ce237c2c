"""A gather from blocks of many rows."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    x.gather(tl.arange(0, 8), 0)


SIGNATURE = {"x": "tensordesc<fp16[16,32]>"}
