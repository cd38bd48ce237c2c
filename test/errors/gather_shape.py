"""An index of another size off the axis."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    v = tl.zeros((8, 4), tl.int32)
    y = tl.gather(v, tl.zeros((4, 4), tl.int32), 1)


SIGNATURE = {"x": "*fp32"}
