"""Polling a block."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.atomic_poll(x + tl.arange(0, 4), 1)


SIGNATURE = {"x": "*i32"}
