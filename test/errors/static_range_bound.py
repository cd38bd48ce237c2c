"""A bound of a static range that is no constant."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    for i in tl.static_range(tl.load(x).to(tl.int32)):
        tl.store(x, 0.0)


SIGNATURE = {"x": "*fp32"}
