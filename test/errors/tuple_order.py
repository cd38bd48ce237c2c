"""An order of tuples that the program computes."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    if (tl.load(x), 1) < (2.0, 3):
        tl.store(x, 0)


SIGNATURE = {"x": "*fp32"}
