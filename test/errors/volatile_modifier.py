"""A volatile load with a cache modifier."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.load(x, volatile=True, cache_modifier=".cg")


SIGNATURE = {"x": "*fp32"}
