"""Products of many sizes by a fixed number of programs; matrices are reached through arrays of their addresses."""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def grouped_kernel(group_a_ptrs, group_b_ptrs, group_c_ptrs, group_gemm_sizes, g_lds, group_size,
                   NUM_SM: tl.constexpr, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    tile_idx = tl.program_id(0)
    last_problem_end = 0
    for g in range(group_size):
        gm = tl.load(group_gemm_sizes + g * 3)
        gn = tl.load(group_gemm_sizes + g * 3 + 1)
        gk = tl.load(group_gemm_sizes + g * 3 + 2)
        num_n_tiles = tl.cdiv(gn, BLOCK)
        num_tiles = tl.cdiv(gm, BLOCK) * num_n_tiles
        while (tile_idx >= last_problem_end and tile_idx < last_problem_end + num_tiles):
            lda = tl.load(g_lds + g * 3)
            ldb = tl.load(g_lds + g * 3 + 1)
            ldc = tl.load(g_lds + g * 3 + 2)
            a_ptr = tl.load(group_a_ptrs + g).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(group_b_ptrs + g).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(group_c_ptrs + g).to(tl.pointer_type(tl.float16))
            tile = tile_idx - last_problem_end
            offs_m = tile // num_n_tiles * BLOCK + tl.arange(0, BLOCK)
            offs_n = tile % num_n_tiles * BLOCK + tl.arange(0, BLOCK)
            offs_k = tl.arange(0, BLOCK_K)
            a_ptrs = a_ptr + offs_m[:, None] * lda + offs_k[None, :]
            b_ptrs = b_ptr + offs_k[:, None] * ldb + offs_n[None, :]
            accumulator = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
            for _ in range(0, tl.cdiv(gk, BLOCK_K)):
                tl.multiple_of(a_ptrs, [16, 16])
                accumulator += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs))
                a_ptrs += BLOCK_K
                b_ptrs += BLOCK_K * ldb
            tl.store(c_ptr + ldc * offs_m[:, None] + offs_n[None, :], accumulator.to(tl.float16))
            tile_idx += NUM_SM
        last_problem_end = last_problem_end + num_tiles


sizes = [(128, 64, 96), (64, 64, 32), (32, 128, 64)]
group_a = [np.random.rand(m, k).astype(np.float16) for m, n, k in sizes]
group_b = [np.random.rand(k, n).astype(np.float16) for m, n, k in sizes]
group_c = [np.empty((m, n), np.float16) for m, n, k in sizes]
addresses = [np.array([each.ctypes.data for each in group], np.int64) for group in (group_a, group_b, group_c)]
widths = np.array([each.shape[1] for group in zip(group_a, group_b, group_c, strict=True) for each in group], np.int32)
grid = lambda META: (META["NUM_SM"], )  # noqa: E731
grouped_kernel[grid](*addresses, np.array(sizes, np.int32), widths, len(sizes), NUM_SM=3, BLOCK=32, BLOCK_K=32)
for a, b, c in zip(group_a, group_b, group_c, strict=True):
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=2e-3)
