"""Too few offsets."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    x.load([0])


SIGNATURE = {"x": "tensordesc<fp16[16,32]>"}
