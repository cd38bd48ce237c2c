"""An ordered store through a read-only pointer."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x: tl.const):
    tl.atomic_store(x, 1)


SIGNATURE = {"x": "*i32"}
