"""An exchange of half floats."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.atomic_xchg(x, 1.0)


SIGNATURE = {"x": "*fp16"}
