"""A mask beside a block pointer."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, mask=tl.arange(0, 16) < n)


SIGNATURE = {"x": "*fp16", "n": "i32"}
