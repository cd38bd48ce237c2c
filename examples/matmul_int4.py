"""Few rows of fp16 times weights of 4 bits, which are unpacked in the kernel; groups of weights have a scale.

A byte holds weight j of a group in its low half and weight j + 64 in its high half: each half of the bytes is an
operand as it comes.
"""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty, empty_like, on_device, parse_device, report
from matmul_schedules import store_sum
from tiles import describe

GROUP = 128  # values of k with a scale in common
HALF = tl.constexpr(GROUP // 2)


@tw.jit
def widen(nibble):
    """0 ... 15 as -8.0 ... 7.0: with the exponent of 1024 before it, a nibble is a number; a conversion is slower."""
    return (nibble.to(tl.int16) | 0x6400).to(tl.float16, bitcast=True) - 1032.0


@tw.jit
def int4_kernel(x, weights, scales, y, workspace, counters, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                SPLITS: tl.constexpr):
    """Weights are the left operand: their tiles have many rows, and they come from registers."""
    tile, split = tl.program_id(0), tl.program_id(1)
    blocks = tl.cdiv(M, BLOCK_M)
    row, column, groups = tile % blocks * BLOCK_M, tile // blocks * BLOCK_N, tl.cdiv(K, 2 * HALF)
    columns = column + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_N, BLOCK_M), dtype=tl.float32)
    for group in range(split * groups // SPLITS, (split + 1) * groups // SPLITS):
        packed = weights.load([column, group * HALF])
        scale = tl.load(scales + group * N + columns, mask=columns < N, other=0.0)
        low, high = widen(packed & 15), widen((packed >> 4) & 15)
        part = tl.dot(low, x.load([row, group * 2 * HALF]).T)
        part = tl.dot(high, x.load([row, group * 2 * HALF + HALF]).T, part)
        total += part * scale[:, None]
    store_sum(y, column, row, total, workspace, counters, tile, split, True, SPLITS, BLOCK_N, BLOCK_M)


def multiply_int4(x, weights, scales, y, counters, BLOCK_M=16, BLOCK_N=64, SPLITS=2, **options):
    """y (M, N) = x (M, K) @ weights.T, with weights (N, K / 2) and scales (K / 128, N) from `quantize`; counters as
    `matmul_schedules.matmul` has them."""
    (M, K), N = x.shape, weights.shape[0]
    tiles = tw.cdiv(M, BLOCK_M) * tw.cdiv(N, BLOCK_N)
    workspace = empty((tiles * SPLITS * BLOCK_M * BLOCK_N,), "float32", like=x)
    int4_kernel[(tiles, SPLITS)](
        describe(x, BLOCK_M, GROUP // 2), describe(weights, BLOCK_N, GROUP // 2), scales, describe(y, BLOCK_M, BLOCK_N),
        workspace, counters, M, N, K, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, SPLITS=SPLITS, **options)
    return y


def quantize(weights):
    """Packed weights (N, K / 2), scales (K / 128, N), and what they stand for, from weights (N, K); 128 divides K."""
    N, K = weights.shape
    groups = weights.reshape(N, K // GROUP, GROUP)
    scales = (np.abs(groups).max(axis=2) / 7).astype(np.float16)
    values = np.clip(np.rint(groups / scales[..., None]), -8, 7).astype(np.int8)
    nibbles = (values + 8).astype(np.uint8)
    packed = nibbles[..., :GROUP // 2] | nibbles[..., GROUP // 2:] << 4
    exact = (values * scales[..., None].astype(np.float64)).reshape(N, K)
    return packed.reshape(N, K // 2).view(np.int8), np.ascontiguousarray(scales.T), exact


def main() -> None:
    parse_device(__doc__)
    counters = on_device(np.zeros(1024, np.int32))
    for M, N, K in [(1, 256, 512), (16, 200, 384), (40, 136, 128)]:
        x = np.random.randn(M, K).astype(np.float16)
        packed, scales, exact = quantize(np.random.randn(N, K))
        y = empty_like(on_device(np.empty((M, N), np.float16)))
        arrays = [on_device(array) for array in (x, packed, scales)]
        report(f"int4 matmul {M}x{N}x{K}", multiply_int4(*arrays, y, counters), x.astype(np.float64) @ exact.T, 1e-3)


if __name__ == "__main__":
    main()
