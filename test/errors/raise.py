"""An exception."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    raise ValueError('no')


SIGNATURE = {"x": "*fp32"}
