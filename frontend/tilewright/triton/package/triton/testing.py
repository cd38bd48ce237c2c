"""Timing, comparing and tables; how fast a GPU could be at most."""

from __future__ import annotations

from tilewright.testing import Benchmark as Benchmark
from tilewright.testing import Mark as Mark
from tilewright.testing import assert_close as assert_close
from tilewright.testing import do_bench as do_bench
from tilewright.testing import perf_report as perf_report
from tilewright.triton.hardware import cuda_memcheck as cuda_memcheck
from tilewright.triton.hardware import do_bench_cudagraph as do_bench_cudagraph
from tilewright.triton.hardware import do_bench_cudagraph_proton as do_bench_cudagraph_proton
from tilewright.triton.hardware import do_bench_proton as do_bench_proton
from tilewright.triton.hardware import get_dram_gbps as get_dram_gbps
from tilewright.triton.hardware import get_max_simd_tflops as get_max_simd_tflops
from tilewright.triton.hardware import get_max_tensorcore_tflops as get_max_tensorcore_tflops
from tilewright.triton.hardware import nvsmi as nvsmi
from tilewright.triton.hardware import set_gpu_clock as set_gpu_clock
from tilewright.triton.refusal import Refusal

cublas = Refusal("triton.testing.cublas", "call torch.matmul, which uses the vendor's library")
