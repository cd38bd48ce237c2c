"""A sort along a dimension that is not there."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.sort(tl.load(x + tl.arange(0, 8)), dim=1)


SIGNATURE = {"x": "*fp32"}
