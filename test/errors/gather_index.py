"""An index of floats."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    i = tl.arange(0, 8)
    y = tl.gather(i, i.to(tl.float32), 0)


SIGNATURE = {"x": "*fp32"}
