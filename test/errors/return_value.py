"""A kernel that returns a value."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    return 1


SIGNATURE = {"x": "*fp32"}
