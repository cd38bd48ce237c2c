"""An eviction policy that does not exist."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.store(x, 0.0, eviction_policy='never')


SIGNATURE = {"x": "*fp32"}
