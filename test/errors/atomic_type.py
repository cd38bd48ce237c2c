"""An atomic that the type does not have."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.atomic_and(x, 1.0)


SIGNATURE = {"x": "*fp32"}
