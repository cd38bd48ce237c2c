"""A parameter that takes all named arguments."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def helper(value, **options):
    return value


@tw.jit
def kernel(x):
    tl.store(x, helper(1.0, scale=2.0))


SIGNATURE = {"x": "*fp32"}
