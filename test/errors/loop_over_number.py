"""A loop over something else than a range."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    for i in 5:
        tl.store(x, 0.0)


SIGNATURE = {"x": "*fp32"}
