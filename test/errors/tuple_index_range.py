"""An index beyond the end of a tuple."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    t = (1.0, 2.0)
    tl.store(x, t[2])


SIGNATURE = {"x": "*fp32"}
