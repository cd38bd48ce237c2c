"""Products of narrow types on an NVIDIA GPU, against torch (cuBLAS) and Triton."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from bench import place
from bench.candidates import Options, best, results
from bench.gemm import tile
from bench.twin import load_twin
from bench.workload import Workload

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import matmul_fp8 as tile_fp8  # noqa: E402
import matmul_int4 as tile_int4  # noqa: E402

FP8 = [tile(128, 256, 128, 8, 3), tile(256, 128, 128, 8, 3), tile(128, 256, 128, 8, 4), tile(128, 128, 128, 4, 4),
       tile(128, 128, 128, 8, 4)]
FP8_FLAT = [tile(128, 256, 128, 8, 3, FLATTEN=True), tile(128, 256, 128, 8, 4, FLATTEN=True)]
BLOCK_SCALED = [{"BLOCK_M": 128, "BLOCK_N": 128, "num_warps": 8, "num_stages": 4},
                {"BLOCK_M": 128, "BLOCK_N": 128, "num_warps": 8, "num_stages": 5},
                {"BLOCK_M": 64, "BLOCK_N": 128, "num_warps": 4, "num_stages": 4}]


def int4_tile(m: int, n: int, splits: int, stages: int, warps: int = 4) -> Options:
    """A configuration for m rows of x and n of the weights."""
    return {"BLOCK_M": m, "BLOCK_N": n, "SPLITS": splits, "num_warps": warps, "num_stages": stages}


INT4 = {16: [int4_tile(16, 64, 2, 4), int4_tile(16, 64, 4, 4), int4_tile(16, 64, 8, 4), int4_tile(16, 128, 4, 4, 8),
             int4_tile(16, 64, 4, 6)],
        64: [int4_tile(64, 64, 2, 4), int4_tile(64, 64, 4, 4), int4_tile(64, 128, 4, 4, 8),
             int4_tile(64, 128, 2, 4, 8)]}


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


def int4() -> Iterator[Workload]:
    """Weights of 4 bits with a scale for each 128 values of k, against cuBLAS on the same weights in fp16."""
    twin = load_twin("examples/matmul_int4.py")
    counters = torch.zeros(8192, dtype=torch.int32, device=place.device())
    for size in place.sizes((4096, 8192), (256,)):
        packed = torch.randint(-128, 128, (size, size // 2), device=place.device(), dtype=torch.int8)
        scales = (torch.rand(size // 128, size, device=place.device()) + 0.5).half()
        halves = torch.stack((packed & 15, (packed >> 4) & 15), dim=1).reshape(size, 2, size // 128, 64)
        wide = (halves.transpose(1, 2).reshape(size, size) - 8).half() * scales.T.repeat_interleave(128, 1)
        for rows in (1, 16, 64):
            x = place.randn(rows, size, dtype=torch.float16)
            outputs = [torch.empty_like(x) for _ in range(3)]

            def unpacked(module: Any, y: Any, arrays: Any = (x, packed, scales)) -> Any:
                return lambda options: module.multiply_int4(*arrays, y, counters, **options)

            configs = INT4[max(rows, 16)]
            candidates = {"tilewright": best("tilewright", configs, unpacked(tile_int4, outputs[0])),
                          "triton": best("triton", configs, unpacked(twin, outputs[1])),
                          "cublas f16": lambda x=x, wide=wide, y=outputs[2]: torch.matmul(x, wide.T, out=y)}
            yield Workload(f"int4 gemm {rows}x{size}x{size}", candidates, results(candidates, outputs),
                           x.double() @ wide.double().T, tolerance=5e-3,
                           bytes=1.0 * packed.numel() + 2.0 * scales.numel() + 4.0 * x.numel())
