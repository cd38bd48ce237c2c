"""A field that is set after the constructor."""

import tilewright as tw
import tilewright.language as tl


@tw.aggregate
class Sum:
    value: tl.tensor
    WIDTH: tl.constexpr


@tw.jit
def kernel(x):
    total = Sum(1.0, 8)
    total.value = 2.0
    tl.store(x, total.value)


SIGNATURE = {"x": "*fp32"}
