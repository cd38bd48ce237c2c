"""A padding for a block of pointers."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.load(x + tl.arange(0, 16), padding_option="nan")


SIGNATURE = {"x": "*fp32"}
