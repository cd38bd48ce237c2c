"""A store that acquires."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.atomic_store(x, 1, sem="acquire")


SIGNATURE = {"x": "*i32"}
