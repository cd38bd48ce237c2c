"""An advance of a plain pointer."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    tl.advance(x, (n,))


SIGNATURE = {"x": "*fp16", "n": "i32"}
