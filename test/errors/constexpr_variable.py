"""A variable annotated constexpr with a value of the program."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    size: tl.constexpr = n * 2
    tl.store(x + size, 0.0)


SIGNATURE = {"x": "*fp32", "n": "i32"}
