"""A field of an aggregate given a value of another kind."""

import tilewright as tw
import tilewright.language as tl


@tw.aggregate
class Sum:
    value: tl.tensor
    WIDTH: tl.constexpr


@tw.jit
def kernel(x):
    total = Sum(1.0, tl.load(x))
    tl.store(x, total.value)


SIGNATURE = {"x": "*fp32"}
