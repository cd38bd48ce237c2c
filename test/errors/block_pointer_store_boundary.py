"""A boundary check of a block of pointers."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    tl.store(x + tl.arange(0, 16), 1.0, boundary_check=(0,))


SIGNATURE = {"x": "*fp16", "n": "i32"}
