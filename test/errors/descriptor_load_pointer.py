"""A load of a descriptor by a pointer."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(x):
    tl.load_tensor_descriptor(x, [0])


SIGNATURE = {"x": "*fp16"}
