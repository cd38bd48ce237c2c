"""An offset that is no integer."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    x.load([0, 1.5])


SIGNATURE = {"x": "tensordesc<fp16[16,32]>"}
