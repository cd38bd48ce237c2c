"""An order that is no permutation."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.permute(tl.zeros((2, 4), tl.int32), (1, 1))


SIGNATURE = {"x": "*fp32"}
