"""A global statement."""

import tilewright as tw
import tilewright.language as tl

counter = 0

@tw.jit
def kernel(x):
    global counter
    counter = 1


SIGNATURE = {"x": "*fp32"}
