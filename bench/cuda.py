"""Workloads on an NVIDIA GPU, against torch (cuBLAS, cuDNN) and Triton."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tilewright as tw
import torch

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
from bench.candidates import best, results
from bench.compile_time import compile_times
from bench.gemm import gemm, gemm_rows, matmul
from bench.kernels import add_kernel, empty_kernel
from bench.twin import load_twin
from bench.workload import Workload

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import attention as tile_attention  # noqa: E402

ATTENTION_CONFIGS = [
    {"BLOCK_M": 128, "BLOCK_N": 128, "num_warps": 8, "num_stages": 3},
    {"BLOCK_M": 128, "BLOCK_N": 64, "num_warps": 8, "num_stages": 4},
    {"BLOCK_M": 128, "BLOCK_N": 64, "num_warps": 4, "num_stages": 3},
    {"BLOCK_M": 64, "BLOCK_N": 128, "num_warps": 4, "num_stages": 3},
    {"BLOCK_M": 64, "BLOCK_N": 64, "num_warps": 4, "num_stages": 3},
]


def workloads() -> list[Callable[[], Iterator[Workload]]]:
    return [add, softmax, rms_norm, layer_norm, cross_entropy, rms_norm_backward, layer_norm_backward,
            cross_entropy_backward, decode_attention, matmul, gemm, gemm_rows, attention, launch, compile_times]


def add() -> Iterator[Workload]:
    twin = load_twin("bench/kernels.py")
    for exponent in (20, 24, 27):
        n = 1 << exponent
        x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
        outputs = [torch.empty_like(x) for _ in range(3)]
        grid = (tw.cdiv(n, 1024),)
        candidates = {
            "tilewright": lambda n=n, x=x, y=y, z=outputs[0], grid=grid: add_kernel[grid](x, y, z, n, BLOCK=1024),
            "triton": lambda n=n, x=x, y=y, z=outputs[1], grid=grid: twin.add_kernel[grid](x, y, z, n, BLOCK=1024),
            "torch": lambda x=x, y=y, z=outputs[2]: torch.add(x, y, out=z),
        }
        yield Workload(f"add 2^{exponent} f32", candidates, results(candidates, outputs), (x + y).cpu(),
                       bytes=12.0 * n)


def attention() -> Iterator[Workload]:
    twin = load_twin("examples/attention.py")
    heads, length = 64, 4096
    for size, causal in ((64, False), (64, True), (128, False), (128, True)):
        q, k, v = (torch.randn(heads, length, size, device="cuda", dtype=torch.float16) for _ in range(3))
        outputs = [torch.empty_like(q) for _ in range(2)]

        def compute(name: str, module: Any, output: Any, q: Any = q, k: Any = k, v: Any = v,
                    causal: bool = causal) -> Callable[[], Any]:
            return best(name, ATTENTION_CONFIGS, lambda options: module.attention(q, k, v, causal, output, **options))

        def cudnn(q: Any = q, k: Any = k, v: Any = v, causal: bool = causal) -> Any:
            with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
                return torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal)[0]

        candidates = {"tilewright": compute("tilewright", tile_attention, outputs[0]),
                      "triton": compute("triton", twin, outputs[1]),
                      "cudnn": cudnn}
        reference = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(),
                                                                     is_causal=causal).double().cpu()
        results = {name: lambda call=call: call().cpu() for name, call in candidates.items()}
        yield Workload(f"attention {heads}x{length}x{size} f16{' causal' if causal else ''}", candidates, results,
                       reference, tolerance=2e-3, flops=4.0 * heads * length * length * size / (2 if causal else 1))


def launch() -> Iterator[Workload]:
    twin = load_twin("bench/kernels.py")
    tensors = [torch.zeros(16, device="cuda") for _ in range(4)]
    yield Workload("host: launch, 4 pointers 2 ints", {
        "tilewright": lambda: empty_kernel[(1,)](*tensors, 33, 34),
        "triton": lambda: twin.empty_kernel[(1,)](*tensors, 33, 34)})
