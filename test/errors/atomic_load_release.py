"""A load that releases."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.atomic_load(x, sem="release")


SIGNATURE = {"x": "*i32"}
