"""An argument that a function does not have."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.load(x, msk=True)


SIGNATURE = {"x": "*fp32"}
