"""A sum of pointers."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = x + x


SIGNATURE = {"x": "*fp32"}
