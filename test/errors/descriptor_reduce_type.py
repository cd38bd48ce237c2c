"""A reduction that the type does not have."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    x.atomic_and([0, 0], tl.zeros((16, 32), tl.float16))


SIGNATURE = {"x": "tensordesc<fp16[16,32]>"}
