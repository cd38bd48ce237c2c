"""A slice whose bound is computed."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.arange(0, 8)[0:tl.program_id(0)]


SIGNATURE = {"x": "*fp32"}
