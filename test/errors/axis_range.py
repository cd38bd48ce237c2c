"""An axis that a block does not have."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.sum(tl.arange(0, 8), axis=1)


SIGNATURE = {"x": "*fp32"}
