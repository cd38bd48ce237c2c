"""Products by descriptors of the host and of the kernel, named by what they compute in a profile."""

import json
import sys

import numpy as np
import triton
import triton.language as tl
import triton.profiler as proton
from triton.tools.tensor_descriptor import TensorDescriptor


def describe_launch(grid, kernel, args):
    M, N, K = args["M"], args["N"], args["K"]
    return {"name": f"{kernel.name} [M={M}, N={N}, K={K}]", "flops16": 2. * M * N * K}


def set_block_sizes(nargs):
    m, n, k = nargs["BLOCK_SIZE_M"], nargs["BLOCK_SIZE_N"], nargs["BLOCK_SIZE_K"]
    nargs["a_desc"].block_shape = [m, k]
    nargs["b_desc"].block_shape = [n, k]
    nargs["c_desc"].block_shape = [m, n]


@triton.autotune([triton.Config({"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": 32}, num_stages=2,
                                pre_hook=set_block_sizes) for n in (32, 64)], key=["M", "N", "K"])
@triton.jit(launch_metadata=describe_launch)
def host_kernel(a_desc, b_desc, c_desc, M, N, K, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
                BLOCK_SIZE_K: tl.constexpr, WARP_SPECIALIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    row, column = pid // num_pid_n * BLOCK_SIZE_M, pid % num_pid_n * BLOCK_SIZE_N
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in tl.range(tl.cdiv(K, BLOCK_SIZE_K), warp_specialize=WARP_SPECIALIZE):
        a = a_desc.load([row, k * BLOCK_SIZE_K])
        b = b_desc.load([column, k * BLOCK_SIZE_K])
        accumulator = tl.dot(a, b.T, accumulator)
    c_desc.store([row, column], accumulator.to(tl.float16))


@triton.jit
def device_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr, NUM_SMS: tl.constexpr, FLATTEN: tl.constexpr):
    num_pid_n = tl.cdiv(N, BLOCK)
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK, BLOCK])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK, BLOCK])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK, BLOCK])
    for tile_id in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK) * num_pid_n, NUM_SMS, flatten=FLATTEN):
        row, column = tile_id // num_pid_n * BLOCK, tile_id % num_pid_n * BLOCK
        acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
        for k in range(tl.cdiv(K, BLOCK)):
            acc = tl.dot(a_desc.load([row, k * BLOCK]), b_desc.load([column, k * BLOCK]).T, acc)
        c_desc.store([row, column], acc.to(tl.float16))


M, N, K = 100, 72, 96
a, b = np.random.standard_normal((M, K)).astype(np.float16), np.random.standard_normal((N, K)).astype(np.float16)
expected = a.astype(np.float64) @ b.astype(np.float64).T
session = proton.start(sys.argv[1], hook="triton")
c = np.empty((M, N), np.float16)
descriptors = [TensorDescriptor.from_tensor(each, [1, 1]) for each in (a, b, c)]
grid = lambda META: (triton.cdiv(M, META["BLOCK_SIZE_M"]) * triton.cdiv(N, META["BLOCK_SIZE_N"]), )  # noqa: E731
with proton.scope("host"):
    host_kernel[grid](*descriptors, M, N, K, WARP_SPECIALIZE=False)
triton.testing.assert_close(c, expected, atol=3e-2)
proton.finalize(session)
tree, _ = json.load(open(sys.argv[1] + ".hatchet"))
launches = {each["frame"]["name"] for each in tree["children"][0]["children"]}
assert launches == {f"host_kernel [M={M}, N={N}, K={K}]"}, launches

triton.set_allocator(lambda size, alignment, stream: np.empty(size, np.int8))
c[:] = 0
device_kernel[(3, )](a, b, c, M, N, K, BLOCK=32, NUM_SMS=3, FLATTEN=True, num_warps=4)
triton.testing.assert_close(c, expected, atol=3e-2)
