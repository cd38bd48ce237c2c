"""An index of another rank."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    i = tl.arange(0, 8)
    y = tl.gather(i, i[None, :], axis=0)


SIGNATURE = {"x": "*fp32"}
