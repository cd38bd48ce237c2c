"""A block of masks for one address: the arange is missing from the offset."""

import tilewright as tw
import tilewright.language as tl


@tw.jit
def kernel(X, Y, Z, N):
    pid = tl.program_id(axis=0)
    offset = pid * 256
    mask = offset + tl.arange(0, 256) < N
    x = tl.load(X + offset, mask=mask)
    y = tl.load(Y + offset, mask=mask)
    z = x + y
    tl.store(Z + offset, z, mask=mask)


SIGNATURE = {"X": "*fp32", "Y": "*fp32", "Z": "*fp32", "N": "i32"}
