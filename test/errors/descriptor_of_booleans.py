"""A descriptor of booleans."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    tl.make_tensor_descriptor(x, [n, n], [n, 1], [16, 16])


SIGNATURE = {"x": "*i1", "n": "i32"}
