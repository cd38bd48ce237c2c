"""A store through a read-only block pointer."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x: tl.const, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.store(p, 1.0)


SIGNATURE = {"x": "*fp32", "n": "i32"}
