"""The operator of matrix products."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.load(x) @ tl.load(x)


SIGNATURE = {"x": "*fp32"}
