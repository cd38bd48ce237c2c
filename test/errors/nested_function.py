"""A function inside a kernel."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    def inner():
        return 1


SIGNATURE = {"x": "*fp32"}
