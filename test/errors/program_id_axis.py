"""An axis that grids do not have."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = tl.program_id(3)


SIGNATURE = {"x": "*fp32"}
