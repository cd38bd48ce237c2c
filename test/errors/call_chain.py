"""An error in a function that a function calls."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def inner(x, SIZE: tl.constexpr):
    return tl.load(x + tl.arange(0, SIZE) * 1.5)


@tw.jit
def outer(x, SIZE: tl.constexpr):
    return inner(x, SIZE * 2)


@tw.jit
def kernel(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), outer(x, BLOCK))


SIGNATURE = {"x": "*fp32", "BLOCK": 8}
