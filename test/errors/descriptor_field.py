"""A field that descriptors do not have."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    x.blockshape


SIGNATURE = {"x": "tensordesc<fp16[16,32]>"}
