"""A compare and swap of 8 bits."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.atomic_cas(x, 0, 1)


SIGNATURE = {"x": "*i8"}
