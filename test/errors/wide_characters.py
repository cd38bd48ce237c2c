"""The caret behind characters of several bytes."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    größe = 1; tl.store(x, größ)


SIGNATURE = {"x": "*fp32"}
