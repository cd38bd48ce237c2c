"""A call whose result must be used."""

import tilewright as tw
import tilewright.language as tl


@tw.must_use_result("it gives the new pointer, and does not change the old one")
@tw.jit
def advance(pointer, offset):
    return pointer + offset


@tw.jit
def kernel(x):
    advance(x, 4)


SIGNATURE = {"x": "*fp32"}
