"""Packed integers in words."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.unpack_int4(tl.arange(0, 8))


SIGNATURE = {"x": "*fp32"}
