"""A product of 4-bit floats with scales that are powers of two."""

import numpy as np
import triton
import triton.language as tl
from triton.tools.mxfp import MXFP4Tensor, MXScaleTensor


@triton.jit
def scaled_kernel(a_ptr, a_scale, b_ptr, b_scale, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    packed, groups = tl.arange(0, K // 2), tl.arange(0, K // 32)
    a = tl.load(a_ptr + m[:, None] * (K // 2) + packed[None, :])
    b = tl.load(b_ptr + n[None, :] * (K // 2) + packed[:, None])
    scale_a = tl.load(a_scale + m[:, None] * (K // 32) + groups[None, :])
    scale_b = tl.load(b_scale + n[:, None] * (K // 32) + groups[None, :])
    c = tl.dot_scaled(a, scale_a, "e2m1", b, scale_b, "e2m1")
    tl.store(c_ptr + m[:, None] * N + n[None, :], c)


M, N, K = 32, 64, 128
a, b = MXFP4Tensor(size=(M, K)).random(), MXFP4Tensor(size=(N, K)).random()
scale_a = MXScaleTensor(size=(M, K // 32)).random(low=0.5, high=32.0)
scale_b = MXScaleTensor(size=(N, K // 32)).random(low=0.5, high=32.0)
c = np.empty((M, N), np.float32)
scaled_kernel[(1, )](a.to_packed_tensor(dim=1), scale_a.data, b.to_packed_tensor(dim=1), scale_b.data, c, M, N, K)
wide_a = a.to(np.float32) * scale_a.to(np.float32).repeat(32, axis=1)
wide_b = b.to(np.float32) * scale_b.to(np.float32).repeat(32, axis=1)
np.testing.assert_allclose(c, wide_a.astype(np.float64) @ wide_b.astype(np.float64).T, rtol=1e-5, atol=1e-3)
