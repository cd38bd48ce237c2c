"""A result that is no type."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.inline_asm_elementwise("", "=r,r", [tl.arange(0, 8)], 32, True, 1)


SIGNATURE = {"x": "*fp32"}
