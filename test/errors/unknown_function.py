"""A function that the language does not have."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.store(x, tl.lod(x))


SIGNATURE = {"x": "*fp32"}
