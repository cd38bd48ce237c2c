"""A rounding of a conversion that does not round."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.load(x).to(tl.float32, fp_downcast_rounding="rtz")


SIGNATURE = {"x": "*fp16"}
