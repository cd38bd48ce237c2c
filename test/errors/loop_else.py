"""An else of a loop."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    for i in range(3):
        pass
    else:
        pass


SIGNATURE = {"x": "*fp32"}
