"""Polling a float."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.atomic_poll(x, 1.0)


SIGNATURE = {"x": "*fp32"}
