"""A field that does not exist."""

import tilewright as tw
import tilewright.language as tl


@tw.aggregate
class Sum:
    value: tl.tensor
    WIDTH: tl.constexpr


@tw.jit
def kernel(x):
    total = Sum(1.0, 8)
    tl.store(x, total.valeu)


SIGNATURE = {"x": "*fp32"}
