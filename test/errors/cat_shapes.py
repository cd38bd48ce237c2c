"""Blocks of other sizes off the dimension."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.cat(tl.zeros((8, 4), tl.int32), tl.zeros((8, 2), tl.int32), dim=0)


SIGNATURE = {"x": "*fp32"}
