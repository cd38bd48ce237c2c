"""Bits of floats."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.load(x) & 1


SIGNATURE = {"x": "*fp32"}
