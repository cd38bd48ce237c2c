"""An eviction policy that there is not."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.store(x, 1.0, eviction_policy="evict_never")


SIGNATURE = {"x": "*fp32"}
