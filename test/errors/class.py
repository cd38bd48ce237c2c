"""A class."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    class Pair:
        pass


SIGNATURE = {"x": "*fp32"}
