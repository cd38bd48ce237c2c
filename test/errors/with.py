"""A context manager."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    with open('f') as f:
        pass


SIGNATURE = {"x": "*fp32"}
