"""A descriptor of a block of pointers."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    tl.make_tensor_descriptor(x + tl.arange(0, 16), [n, n], [n, 1], [16, 16])


SIGNATURE = {"x": "*fp16", "n": "i32"}
