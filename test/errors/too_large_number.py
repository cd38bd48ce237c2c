"""A number that no integer type holds."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.store(x, tl.load(x) + tl.to_tensor(2**64))


SIGNATURE = {"x": "*i64"}
