"""A cache modifier that is for loads."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.store(x, 1.0, cache_modifier=".cv")


SIGNATURE = {"x": "*fp32"}
