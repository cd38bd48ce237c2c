"""The caret under a line that is indented by tabs."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
	tl.store(x, y)


SIGNATURE = {"x": "*fp32"}
