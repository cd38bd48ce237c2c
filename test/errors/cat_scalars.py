"""Scalars one after the other."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.cat(tl.program_id(0), tl.program_id(1))


SIGNATURE = {"x": "*fp32"}
