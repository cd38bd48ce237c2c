"""A value of the program in an f-string."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.device_print(f'{tl.load(x)}')


SIGNATURE = {"x": "*fp32"}
