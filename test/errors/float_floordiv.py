"""A quotient of floats rounded down."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.load(x) // 2.0


SIGNATURE = {"x": "*fp32"}
