"""Options of a loop that a break may leave."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, n):
    for i in tl.range(n, num_stages=3):
        if tl.load(x + i) == 0.0:
            break


SIGNATURE = {"x": "*fp32", "n": "i32"}
