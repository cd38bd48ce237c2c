"""A method that values do not have."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.store(x, tl.load(x).summ())


SIGNATURE = {"x": "*fp32"}
