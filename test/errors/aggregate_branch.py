"""A field that is set on one path."""

import tilewright as tw
import tilewright.language as tl


@tw.aggregate
class Sum:
    value: tl.tensor

    @tw.jit
    def __init__(self, value):
        if value > 0:
            self.value = value


@tw.jit
def kernel(x):
    total = Sum(tl.load(x))
    tl.store(x, total.value)


SIGNATURE = {"x": "*fp32"}
