"""A padding that there is not."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, boundary_check=(0,), padding_option="one")


SIGNATURE = {"x": "*fp16", "n": "i32"}
