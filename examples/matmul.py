"""Matrix product with a grouped program order and a fused activation."""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty_like, on_device, parse_device, report


@tw.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@tw.jit
def matmul_kernel(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  GROUP_M: tl.constexpr, ACTIVATION: tl.constexpr):
    # Programs that run together share rows of a and columns of b: order them in groups of rows.
    pid = tl.program_id(axis=0)
    blocks_m = tl.cdiv(M, BLOCK_M)
    blocks_n = tl.cdiv(N, BLOCK_N)
    programs_in_group = GROUP_M * blocks_n
    group = pid // programs_in_group
    first_m = group * GROUP_M
    group_size = min(blocks_m - first_m, GROUP_M)
    pid_m = first_m + (pid % programs_in_group) % group_size
    pid_n = (pid % programs_in_group) // group_size

    offsets_m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offsets_n = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offsets_k = tl.arange(0, BLOCK_K)
    a_pointers = a + offsets_m[:, None] * stride_am + offsets_k[None, :] * stride_ak
    b_pointers = b + offsets_k[:, None] * stride_bk + offsets_n[None, :] * stride_bn

    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a_tile = tl.load(a_pointers, mask=offsets_k[None, :] < K - k * BLOCK_K, other=0.0)
        b_tile = tl.load(b_pointers, mask=offsets_k[:, None] < K - k * BLOCK_K, other=0.0)
        accumulator = tl.dot(a_tile, b_tile, accumulator)
        a_pointers += BLOCK_K * stride_ak
        b_pointers += BLOCK_K * stride_bk
    if ACTIVATION == "leaky_relu":
        accumulator = leaky_relu(accumulator)
    result = accumulator.to(c.dtype.element_ty)

    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_pointers = c + stride_cm * rows[:, None] + stride_cn * columns[None, :]
    tl.store(c_pointers, result, mask=(rows[:, None] < M) & (columns[None, :] < N))


def element_strides(x):
    """Strides in elements, of a numpy array or a torch tensor."""
    return [stride // x.itemsize for stride in x.strides] if isinstance(x, np.ndarray) else x.stride()


def matmul(a, b, c, activation="", BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=8, **options):
    """c = activation(a @ b); any strides."""
    (M, K), (_, N) = a.shape, b.shape
    grid = (tw.cdiv(M, BLOCK_M) * tw.cdiv(N, BLOCK_N),)
    matmul_kernel[grid](a, b, c, M, N, K, *element_strides(a), *element_strides(b), *element_strides(c),
                        BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K, GROUP_M=GROUP_M,
                        ACTIVATION=activation, **options)
    return c


def main() -> None:
    parse_device(__doc__)
    for dtype, tolerance in [(np.float16, 1e-3), (np.float32, 1e-3)]:
        for M, N, K in [(256, 256, 256), (300, 200, 130)]:
            a = np.random.randn(M, K).astype(dtype)
            b = np.random.randn(K, N).astype(dtype)
            product = a.astype(np.float64) @ b.astype(np.float64)
            expected = np.where(product >= 0, product, 0.01 * product)
            c = empty_like(on_device(np.empty((M, N), dtype)))
            result = matmul(on_device(a), on_device(b), c, activation="leaky_relu")
            report(f"matmul {M}x{N}x{K} {np.dtype(dtype).name}", result, expected, tolerance)


if __name__ == "__main__":
    main()
