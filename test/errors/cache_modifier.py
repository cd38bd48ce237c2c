"""A cache modifier that loads do not have."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.load(x, cache_modifier='.wb')


SIGNATURE = {"x": "*fp32"}
