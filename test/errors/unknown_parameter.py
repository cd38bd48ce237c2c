"""A constant that no parameter takes."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, BLOCK_SIZE: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK_SIZE), 0.0)


SIGNATURE = {"x": "*fp32", "BLOCK_SIZE": 64, "BLOK_SIZE": 64}
