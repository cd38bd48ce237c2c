"""A dictionary."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    d = {'a': 1}


SIGNATURE = {"x": "*fp32"}
