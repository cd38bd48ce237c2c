"""Vector addition with a benchmark whose table goes to the folder that is given."""

import sys

import numpy as np
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x + y, mask=mask)


def add(x, y):
    output = np.empty_like(x)
    grid = lambda meta: (triton.cdiv(x.size, meta["BLOCK_SIZE"]), )  # noqa: E731
    add_kernel[grid](x, y, output, x.size, BLOCK_SIZE=1024)
    return output


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["size"], x_vals=[2**i for i in range(12, 14)], x_log=True, line_arg="provider",
        line_vals=["triton", "numpy"], line_names=["Triton", "NumPy"], styles=[("blue", "-"), ("green", "-")],
        ylabel="GB/s", plot_name="vector-add-performance", args={}))
def benchmark(size, provider):
    x, y = np.random.rand(2, size).astype(np.float32)
    run = (lambda: x + y) if provider == "numpy" else (lambda: add(x, y))
    ms, min_ms, max_ms = triton.testing.do_bench(run, warmup=1, rep=5, quantiles=[0.5, 0.2, 0.8])
    gbps = lambda ms: 3 * x.nbytes * 1e-9 / (ms * 1e-3)  # noqa: E731
    return gbps(ms), gbps(max_ms), gbps(min_ms)


x, y = np.random.rand(2, 98432).astype(np.float32)
triton.testing.assert_close(add(x, y), x + y, atol=0)
benchmark.run(print_data=True, show_plots=False, save_path=sys.argv[1])
