"""A static assertion that does not hold."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.static_assert(1 > 2, 'one is small')


SIGNATURE = {"x": "*fp32"}
