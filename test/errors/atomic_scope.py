"""A scope that there is not."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.atomic_add(x, 1, scope="gpus")


SIGNATURE = {"x": "*i32"}
