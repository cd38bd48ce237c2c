"""A last stride that is not known to be 1."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    tl.make_tensor_descriptor(x, [n, n], [1, n], [16, 16])


SIGNATURE = {"x": "*fp16", "n": "i32"}
