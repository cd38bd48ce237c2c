"""An object that `with` does not take."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    with tl.load(x):
        pass


SIGNATURE = {"x": "*fp32"}
