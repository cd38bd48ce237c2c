"""A histogram without bins."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.histogram(tl.load(x + tl.arange(0, 8)), 0)


SIGNATURE = {"x": "*i32"}
