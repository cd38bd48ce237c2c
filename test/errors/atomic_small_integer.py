"""An atomic on 8-bit integers."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.atomic_add(x, 1)


SIGNATURE = {"x": "*i8"}
