"""Rows of a softmax, as many programs as fit the device, on a kernel that is compiled first."""

import numpy as np
import triton
import triton.language as tl
from triton.runtime import driver


@triton.jit
def softmax_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols,
                   BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        col_offsets = tl.arange(0, BLOCK_SIZE)
        mask = col_offsets < n_cols
        row = tl.load(input_ptr + row_idx * input_row_stride + col_offsets, mask=mask, other=-float("inf"))
        row_minus_max = row - tl.max(row, axis=0)
        numerator = tl.exp(row_minus_max)
        output = numerator / tl.sum(numerator, axis=0)
        tl.store(output_ptr + row_idx * output_row_stride + col_offsets, output, mask=mask)


properties = driver.active.utils.get_device_properties(driver.active.get_current_device())
NUM_SM = properties["multiprocessor_count"]
NUM_REGS = properties["max_num_regs"]
SIZE_SMEM = properties["max_shared_mem"]
WARP_SIZE = properties["warpSize"]


def softmax(x):
    n_rows, n_cols = x.shape
    num_warps = 8
    num_stages = 4 if SIZE_SMEM > 200000 else 2
    y = np.empty_like(x)
    strides = x.strides[0] // x.itemsize, y.strides[0] // y.itemsize
    block = triton.next_power_of_2(n_cols)
    kernel = softmax_kernel.warmup(y, x, *strides, n_rows, n_cols, BLOCK_SIZE=block, num_stages=num_stages,
                                   num_warps=num_warps, grid=(1, ))
    kernel._init_handles()
    occupancy = NUM_REGS // (kernel.n_regs * WARP_SIZE * num_warps)
    occupancy = min(occupancy, SIZE_SMEM // kernel.metadata.shared)
    num_programs = min(NUM_SM * occupancy, n_rows)
    kernel[(num_programs, 1, 1)](y, x, *strides, n_rows, n_cols, block, num_stages)
    return y


x = np.random.standard_normal((823, 781)).astype(np.float32)
e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
triton.testing.assert_close(softmax(x), e / e.sum(1, keepdims=True), atol=1e-6)
