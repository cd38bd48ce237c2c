"""A function of Python that kernels cannot use."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    y = vars((2, 1))


SIGNATURE = {"x": "*fp32"}
