"""A block of another rank than the array."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    tl.make_tensor_descriptor(x, [n, n], [n, 1], [16])


SIGNATURE = {"x": "*fp16", "n": "i32"}
