"""A mask of another shape."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.histogram(tl.load(x + tl.arange(0, 8)), 4, mask=tl.arange(0, 4) < 2)


SIGNATURE = {"x": "*i32"}
