"""A loop that never ends."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    while True:
        tl.store(x, 0.0)


SIGNATURE = {"x": "*fp32"}
