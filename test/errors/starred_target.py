"""A starred target."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    a, *b = (1, 2, 3)


SIGNATURE = {"x": "*fp32"}
