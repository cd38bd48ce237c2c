"""A comprehension of two loops."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    t = [a * b for a in (1, 2) for b in (3, 4)]
    tl.store(x, t[0])


SIGNATURE = {"x": "*fp32"}
