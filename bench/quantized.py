"""Products of narrow types on an NVIDIA GPU, against torch (cuBLAS) and Triton."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from bench import place
from bench.candidates import best, results
from bench.gemm import tile
from bench.twin import load_twin
from bench.workload import Workload

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import matmul_fp8 as tile_fp8  # noqa: E402

FP8 = [tile(128, 256, 128, 8, 3), tile(256, 128, 128, 8, 3), tile(128, 256, 128, 8, 4), tile(128, 128, 128, 4, 4),
       tile(128, 128, 128, 8, 4)]
FP8_FLAT = [tile(128, 256, 128, 8, 3, FLATTEN=True), tile(128, 256, 128, 8, 4, FLATTEN=True)]
BLOCK_SCALED = [{"BLOCK_M": 128, "BLOCK_N": 128, "num_warps": 8, "num_stages": 4},
                {"BLOCK_M": 128, "BLOCK_N": 128, "num_warps": 4, "num_stages": 3},
                {"BLOCK_M": 256, "BLOCK_N": 128, "num_warps": 8, "num_stages": 3},
                {"BLOCK_M": 64, "BLOCK_N": 128, "num_warps": 4, "num_stages": 4}]


def fp8() -> Iterator[Workload]:
    """One scale for each operand; torch with its fast accumulation, which the others have as well."""
    twin = load_twin("examples/matmul_fp8.py")
    for size in place.sizes((2048, 4096, 8192), (128,)):
        a, b = (place.randn(size, size).to(torch.float8_e4m3fn) for _ in range(2))
        scales = [torch.full((1,), value, device=a.device) for value in (0.5, 0.25)]
        outputs = [torch.empty(size, size, device=a.device, dtype=torch.bfloat16) for _ in range(3)]

        def scaled(module: Any, c: Any, a: Any = a, b: Any = b, scales: Any = scales) -> Any:
            return lambda options: module.matmul(a, b, c, *scales, **options)

        candidates = {
            "tilewright": best("tilewright", FP8, scaled(tile_fp8, outputs[0])),
            "triton": best("triton", [*FP8, *FP8_FLAT], scaled(twin, outputs[1])),
            "torch": lambda a=a, b=b, scales=scales, c=outputs[2]: torch._scaled_mm(
                a, b.T, *scales, out_dtype=torch.bfloat16, use_fast_accum=True, out=c)}
        yield Workload(f"fp8 gemm {size}^3", candidates, results(candidates, outputs),
                       a.double() @ b.double().T / 8, tolerance=5e-3, flops=2.0 * size**3)


def fp8_block_scaled() -> Iterator[Workload]:
    """Scales of 1 x 128 values of a, and of 128 x 128 of b."""
    twin = load_twin("examples/matmul_fp8.py")
    for m, n, k in place.sizes(((4096, 4096, 4096), (4096, 7168, 2048)), ((128, 128, 512),)):
        a, b = place.randn(m, k).to(torch.float8_e4m3fn), place.randn(n, k).to(torch.float8_e4m3fn)
        a_scales = torch.rand(k // 128, m, device=a.device) + 0.5
        b_scales = torch.rand(n // 128, k // 128, device=a.device) + 0.5
        outputs = [torch.empty(m, n, device=a.device, dtype=torch.bfloat16) for _ in range(3)]

        def scaled(module: Any, c: Any, arrays: Any = (a, b, a_scales, b_scales)) -> Any:
            return lambda options: module.block_scaled_matmul(*arrays[:2], c, *arrays[2:], **options)

        candidates = {
            "tilewright": best("tilewright", BLOCK_SCALED, scaled(tile_fp8, outputs[0])),
            "triton": best("triton", BLOCK_SCALED, scaled(twin, outputs[1])),
            "torch": lambda arrays=(a, b.T, a_scales.T, b_scales.T), c=outputs[2]: torch._scaled_mm(
                *arrays, out_dtype=torch.bfloat16, out=c)}
        wide_a = a.double() * a_scales.T.double().repeat_interleave(128, 1)
        wide_b = b.double() * b_scales.double().repeat_interleave(128, 0).repeat_interleave(128, 1)
        yield Workload(f"fp8 block-scaled gemm {m}x{n}x{k}", candidates, results(candidates, outputs),
                       wide_a @ wide_b.T, tolerance=5e-3, flops=2.0 * m * n * k)
