"""A match statement."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x, MODE: tl.constexpr):
    match MODE:
        case 1:
            tl.store(x, 1.0)


SIGNATURE = {"x": "*fp32", "MODE": 1}
