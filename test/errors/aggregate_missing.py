"""A constructor that leaves a field out."""

import tilewright as tw
import tilewright.language as tl


@tw.aggregate
class Sum:
    value: tl.tensor
    WIDTH: tl.constexpr

    def __init__(self, value):
        self.value = value


@tw.jit
def kernel(x):
    total = Sum(1.0)
    tl.store(x, total.value)


SIGNATURE = {"x": "*fp32"}
