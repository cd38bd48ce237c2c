"""Vector addition, written for Triton: run it with `python -m tilewright.triton vector_add.py`."""

import sys

import numpy as np
import triton
import triton.language as tl


@triton.jit
def add_kernel(X, Y, Z, N):
    pid = tl.program_id(axis=0)
    offset = pid * 256 + tl.arange(0, 256)
    mask = offset < N
    x = tl.load(X + offset, mask=mask)
    y = tl.load(Y + offset, mask=mask)
    z = x + y
    tl.store(Z + offset, z, mask=mask)


def main() -> None:
    N = 100_003
    if "cuda" in sys.argv[1:]:
        import torch

        X = torch.randn(N, device="cuda")
        Y = torch.randn(N, device="cuda")
        Z = torch.empty(N, device="cuda")
    else:
        X = np.random.randn(N).astype(np.float32)
        Y = np.random.randn(N).astype(np.float32)
        Z = np.full(N, np.nan, np.float32)
    add_kernel[(N + 255) // 256](X, Y, Z, N)
    assert bool((Z == X + Y).all()), "the sum differs"
    print("vector addition: equal to the array library's, bit by bit")


if __name__ == "__main__":
    main()
