"""Workloads on an NVIDIA GPU, against torch (cuBLAS, cuDNN) and Triton."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import tilewright as tw
import torch
import triton

from bench import place
from bench.attention import attention, attention_backward, attention_forward
from bench.bandwidth import (
    cross_entropy,
    cross_entropy_backward,
    decode_attention,
    layer_norm,
    layer_norm_backward,
    rms_norm,
    rms_norm_backward,
    softmax,
)
from bench.candidates import results
from bench.compile_time import compile_times
from bench.gemm import gemm, gemm_few_rows, gemm_rows, matmul
from bench.grouped import grouped, moe
from bench.kernels import add_kernel, empty_kernel
from bench.quantized import fp8, fp8_block_scaled, int4
from bench.twin import assemble_for_this_gpu, load_twin
from bench.variations import GROUPS as VARIATIONS
from bench.workload import Workload

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import arrays  # noqa: E402

# Triton asks for memory where descriptors are made in a kernel.
triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=place.device()))
for module in (arrays, load_twin("examples/arrays.py")):
    module.leave_unfilled()

if "TRITON_OVERRIDE_ARCH" in os.environ:
    assemble_for_this_gpu()


def workloads() -> list[Callable[[], Iterator[Workload]]]:
    return [add, softmax, rms_norm, layer_norm, cross_entropy, rms_norm_backward, layer_norm_backward,
            cross_entropy_backward, decode_attention, matmul, gemm, gemm_rows, gemm_few_rows, attention,
            attention_forward, attention_backward, fp8, fp8_block_scaled, int4, grouped, moe, *VARIATIONS,
            launch, compile_times]


def add() -> Iterator[Workload]:
    twin = load_twin("bench/kernels.py")
    for exponent in place.sizes((20, 24, 27), (12,)):
        n = 1 << exponent
        x, y = place.randn(n), place.randn(n)
        outputs = [torch.empty_like(x) for _ in range(3)]
        grid = (tw.cdiv(n, 1024),)
        candidates = {
            "tilewright": lambda n=n, x=x, y=y, z=outputs[0], grid=grid: add_kernel[grid](x, y, z, n, BLOCK=1024),
            "triton": lambda n=n, x=x, y=y, z=outputs[1], grid=grid: twin.add_kernel[grid](x, y, z, n, BLOCK=1024),
            "torch": lambda x=x, y=y, z=outputs[2]: torch.add(x, y, out=z),
        }
        yield Workload(f"add 2^{exponent} f32", candidates, results(candidates, outputs), x + y,
                       bytes=12.0 * n)


def launch() -> Iterator[Workload]:
    twin = load_twin("bench/kernels.py")
    tensors = [torch.zeros(16, device=place.device()) for _ in range(4)]
    yield Workload("host: launch, 4 pointers 2 ints", {
        "tilewright": lambda: empty_kernel[(1,)](*tensors, 33, 34),
        "triton": lambda: twin.empty_kernel[(1,)](*tensors, 33, 34)})
