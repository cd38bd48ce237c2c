"""A mask of another shape."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.atomic_add(x + tl.arange(0, 8), 1, mask=tl.arange(0, 16) < 3)


SIGNATURE = {"x": "*i32"}
