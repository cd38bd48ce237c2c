"""The product of a layer of experts: each token goes to some of them, and tokens of one expert stand in one tile."""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty, on_device, parse_device, report
from tiles import describe, grouped_tile, programs


@tw.jit
def experts_kernel(x, weights, y, shares, slots, experts, count, blocks, N, K, CHOICES: tl.constexpr,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    """y[slot] = share * x[slot // CHOICES] @ weights[expert].T for the slots of a block, which have one expert."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    offsets = tl.arange(0, BLOCK_K)
    for tile in range(tl.program_id(0), blocks * tiles_n, tl.num_programs(0)):
        block, tile_n = grouped_tile(tile, blocks, tiles_n, GROUP_M)
        slot = tl.load(slots + block * BLOCK_M + tl.arange(0, BLOCK_M))
        inside = slot < count  # the last places of an expert's last block are empty
        expert = tl.load(experts + block)
        column = tile_n * BLOCK_N
        rows = x + (slot // CHOICES).to(tl.int64)[:, None] * K + offsets[None, :]
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            token = tl.load(rows + k, mask=inside[:, None] & (offsets[None, :] < K - k), other=0.0)
            total = tl.dot(token, weights.load([expert * N + column, k]).T, total)
        total *= tl.load(shares + slot, mask=inside, other=0.0)[:, None]
        columns = column + tl.arange(0, BLOCK_N)
        places = slot.to(tl.int64)[:, None] * N + columns[None, :]
        tl.store(y + places, total.to(y.dtype.element_ty), mask=inside[:, None] & (columns[None, :] < N))


def sort_by_expert(choices, experts, block):
    """The slots (token * choices + choice) by expert, in whole blocks, whose empty places hold the number of slots; and
    the expert of each block."""
    by_expert = [np.flatnonzero(choices.reshape(-1) == expert) for expert in range(experts)]
    blocks = [-(-len(slots) // block) for slots in by_expert]
    padded = [np.pad(slots, (0, count * block - len(slots)), constant_values=choices.size)
              for slots, count in zip(by_expert, blocks, strict=True)]
    return np.concatenate(padded).astype(np.int32), np.repeat(np.arange(experts), blocks).astype(np.int32)


def multiply_experts(x, weights, y, shares, slots, experts, BLOCK_M=16, BLOCK_N=64, BLOCK_K=64, GROUP_M=8,
                     persistent=True, **options):
    """y (tokens * choices, N) from x (tokens, K), weights (experts, N, K), the share of each slot, and what
    `sort_by_expert` gives for blocks of BLOCK_M. The sum over a token's slots is the layer's result. `persistent`
    programs take every n-th tile, else there is one for each."""
    (count_experts, N, K), blocks = weights.shape, experts.shape[0]
    described = describe(weights.reshape(count_experts * N, K), BLOCK_N, BLOCK_K)
    tiles = blocks * tw.cdiv(N, BLOCK_N)
    experts_kernel[(programs(x, tiles) if persistent else tiles,)](
        x, described, y, shares, slots, experts, y.shape[0], blocks, N, K, CHOICES=y.shape[0] // x.shape[0],
        BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K, GROUP_M=GROUP_M, **options)
    return y


def main() -> None:
    parse_device(__doc__)
    for tokens, experts, choices, N, K in [(50, 8, 2, 128, 256), (33, 5, 3, 104, 72)]:
        x = np.random.randn(tokens, K).astype(np.float16)
        weights = np.random.randn(experts, N, K).astype(np.float16)
        chosen = np.argsort(np.random.rand(tokens, experts), axis=1)[:, :choices]
        shares = np.random.rand(tokens * choices).astype(np.float32)
        slots, block_experts = sort_by_expert(chosen, experts, 16)
        arrays = [on_device(array) for array in (x, weights, shares, slots, block_experts)]
        y = multiply_experts(*arrays[:2], empty((tokens * choices, N), "float16", like=arrays[0]), *arrays[2:])
        expected = np.einsum("tk,tcnk->tcn", x, weights[chosen], dtype=np.float64).reshape(-1, N) * shares[:, None]
        report(f"{tokens} tokens to {choices} of {experts} experts, {N}x{K}", y, expected, 1e-3)


if __name__ == "__main__":
    main()
