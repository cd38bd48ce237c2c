"""A scatter to rows of another type."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    x.scatter(tl.zeros((8, 32), tl.float16), tl.arange(0, 8).to(tl.int64), 0)


SIGNATURE = {"x": "tensordesc<fp16[1,32]>"}
