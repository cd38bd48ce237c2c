"""A plain load of a descriptor."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.load(x)


SIGNATURE = {"x": "tensordesc<fp16[16,32]>"}
