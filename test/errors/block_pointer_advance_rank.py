"""An advance along too few dimensions."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    p = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
    tl.advance(p, (1,))


SIGNATURE = {"x": "*fp16", "n": "i32"}
