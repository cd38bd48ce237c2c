"""A compile-time constant of an aggregate that a loop changes."""

import tilewright as tw
import tilewright.language as tl


@tw.aggregate
class Sum:
    value: tl.tensor
    WIDTH: tl.constexpr


@tw.jit
def kernel(x, n):
    total = Sum(1.0, 8)
    for _ in range(n):
        total = Sum(total.value, 9)
    tl.store(x, total.value)


SIGNATURE = {"x": "*fp32", "n": "i32"}
