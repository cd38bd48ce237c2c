"""A rounding that does not exist."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.load(x).to(tl.float16, fp_downcast_rounding='up')


SIGNATURE = {"x": "*fp32"}
