"""A pointer offset by a float."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = x + 1.5


SIGNATURE = {"x": "*fp32"}
