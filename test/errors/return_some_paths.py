"""A function that returns a value on some paths only."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def choose(x, n):
    for i in range(n):
        if tl.load(x + i) > 0:
            return i


@tw.jit
def kernel(x, n):
    tl.store(x, choose(x, n))


SIGNATURE = {"x": "*fp32", "n": "i32"}
