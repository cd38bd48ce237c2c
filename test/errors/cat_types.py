"""Blocks of two types one after the other."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    i = tl.arange(0, 8)
    y = tl.cat(i, i.to(tl.int8))


SIGNATURE = {"x": "*fp32"}
