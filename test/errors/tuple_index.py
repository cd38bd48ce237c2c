"""A tuple indexed by a value of the program."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    t = (1.0, 2.0)
    tl.store(x, t[n])


SIGNATURE = {"x": "*fp32", "n": "i32"}
