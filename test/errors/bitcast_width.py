"""A bitcast between widths."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.load(x).to(tl.int16, bitcast=True)


SIGNATURE = {"x": "*fp32"}
