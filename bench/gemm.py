"""Matrix products on an NVIDIA GPU, against cuBLAS and Triton."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from bench import place
from bench.candidates import Options, best, results
from bench.twin import load_twin
from bench.workload import Workload

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import matmul as tile_matmul  # noqa: E402
import matmul_persistent as tile_persistent  # noqa: E402
import matmul_schedules as tile_schedules  # noqa: E402


def tile(m: int, n: int, k: int, warps: int, stages: int, **more: Any) -> Options:
    """A configuration."""
    return {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "num_warps": warps, "num_stages": stages, **more}


LARGE = [tile(128, 256, 64, 8, 3), tile(128, 256, 64, 8, 4), tile(256, 128, 64, 8, 3)]
SMALL = [tile(128, 128, 64, 4, 4), tile(128, 128, 64, 8, 4), tile(64, 256, 64, 4, 4), tile(64, 128, 64, 4, 5)]
ODD = [tile(128, 192, 64, 8, 4)]  # Triton's blocks are powers of two
FLAT = [tile(128, 256, 64, 8, 3, FLATTEN=True), tile(128, 256, 64, 8, 4, PARTS=2, FLATTEN=True),
        tile(128, 256, 64, 8, 4, PARTS=2), tile(128, 128, 64, 8, 4, FLATTEN=True)]
SHARED = [tile(128, 128, 64, 8, 4, schedule="split", SPLITS=2), tile(128, 128, 64, 8, 4, schedule="stream"),
          tile(64, 256, 64, 4, 3, schedule="stream"), tile(128, 128, 64, 8, 4, schedule="split", SPLITS=1),
          tile(64, 128, 64, 4, 4, schedule="split", SPLITS=1), tile(64, 64, 64, 4, 6, schedule="split", SPLITS=1),
          tile(64, 128, 64, 4, 6), tile(64, 128, 128, 4, 3), tile(64, 128, 128, 8, 4, GROUP_M=2),
          tile(128, 64, 128, 8, 4, GROUP_M=2), tile(128, 64, 128, 8, 4, GROUP_M=2, schedule="split", SPLITS=1)]


def few(m: int, n: int, k: int, splits: int, stages: int, warps: int = 4) -> Options:
    """A configuration for few rows of x: m of them, n of the weights."""
    return tile(m, n, k, warps, stages, SPLITS=splits)


FEW = {16: [few(16, 64, 128, 1, 4), few(16, 64, 128, 2, 4), few(16, 64, 256, 2, 3), few(16, 64, 128, 4, 4),
            few(16, 128, 128, 4, 4), few(16, 64, 128, 1, 6), few(16, 32, 256, 1, 4), few(16, 64, 256, 1, 3)],
       64: [few(64, 64, 128, 1, 4), few(64, 64, 128, 2, 4), few(64, 64, 128, 4, 3), few(64, 128, 128, 2, 4),
            few(64, 128, 64, 4, 4), few(64, 64, 128, 1, 6), few(64, 64, 256, 1, 3), few(64, 64, 256, 2, 3)]}


def matmul() -> Iterator[Workload]:
    """Products by pointers, a program for each tile."""
    twin = load_twin("examples/matmul.py")
    configs = [LARGE[0], LARGE[1], *SMALL[:2], tile(128, 128, 64, 8, 3), SMALL[3],
               tile(128, 64, 128, 8, 4)]
    for size in place.sizes((1024, 2048, 4096, 8192), (96,)):
        a, b = (place.randn(size, size, dtype=torch.float16) for _ in range(2))
        outputs = [torch.empty_like(a) for _ in range(3)]

        def by_pointers(module: Any, c: Any, a: Any = a, b: Any = b) -> Any:
            return lambda options: module.matmul(a, b, c, **options)

        candidates = {"tilewright": best("tilewright", configs, by_pointers(tile_matmul, outputs[0])),
                      "triton": best("triton", configs, by_pointers(twin, outputs[1])),
                      "cublas": lambda a=a, b=b, c=outputs[2]: torch.matmul(a, b, out=c)}
        yield Workload(f"matmul {size}^3 float16", candidates, results(candidates, outputs), a.double() @ b.double(),
                       tolerance=5e-3, flops=2.0 * size**3)


def gemm() -> Iterator[Workload]:
    """Products by descriptors, persistent; b is given by columns, as linear layers have it."""
    twin = load_twin("examples/matmul_persistent.py")
    for dtype in (torch.float16, torch.bfloat16):
        sizes = (1024, 2048, 4096, 8192) if dtype == torch.float16 else (4096, 8192)
        for size in place.sizes(sizes, (96,)):
            shared = SHARED if size <= 2048 else []
            yield _product(twin, size, dtype, True, "host", [*LARGE, *SMALL, *ODD, *shared],
                           [*LARGE, *SMALL, *FLAT, *shared])


def gemm_rows() -> Iterator[Workload]:
    """The same with b given by rows, and with descriptors made in the kernel."""
    twin = load_twin("examples/matmul_persistent.py")
    for size in place.sizes((4096, 8192), (96,)):
        yield _product(twin, size, torch.float16, False, "host", LARGE, [*LARGE, *FLAT[:3]])
    for size in place.sizes((4096,), (96,)):
        yield _product(twin, size, torch.float16, True, "device", LARGE, [*LARGE, *FLAT[:3]])


def _product(twin: Any, size: int, dtype: torch.dtype, transposed: bool, descriptors: str, ours: list[Options],
             theirs: list[Options]) -> Workload:
    a, b = (place.randn(size, size, dtype=dtype) for _ in range(2))
    outputs = [torch.empty_like(a) for _ in range(3)]
    second = b.T if transposed else b
    counters = _counters()
    twin_schedules = load_twin("examples/matmul_schedules.py")

    def by(module: Any, schedules: Any, c: Any) -> Any:
        def call(options: Options) -> Any:
            if "schedule" in options:
                return schedules.matmul(a, b, c, counters, **options)
            return module.matmul(a, b, c, transposed, descriptors == "host", **options)

        return call

    candidates = {"tilewright": best("tilewright", ours, by(tile_persistent, tile_schedules, outputs[0])),
                  "triton": best("triton", theirs, by(twin, twin_schedules, outputs[1])),
                  "cublas": lambda: torch.matmul(a, second, out=outputs[2])}
    kind = f"{str(dtype).removeprefix('torch.')} {'nt' if transposed else 'nn'}"
    return Workload(f"gemm {size}^3 {kind} {descriptors}", candidates, results(candidates, outputs),
                    a.double() @ second.double(), tolerance=5e-3, flops=2.0 * size**3)


def gemm_few_rows() -> Iterator[Workload]:
    """Products of 1 to 64 rows, as models decode: the weights are read once, so bytes count."""
    twin = load_twin("examples/matmul_schedules.py")
    counters = _counters()
    for size in place.sizes((4096, 8192), (128,)):
        weights = place.randn(size, size, dtype=torch.float16)
        for rows in (1, 16, 64):
            x = place.randn(rows, size, dtype=torch.float16)
            outputs = [torch.empty_like(x) for _ in range(3)]

            def few_rows(module: Any, y: Any, x: Any = x, weights: Any = weights) -> Any:
                return lambda options: module.multiply_few(x, weights, y, counters, **options)

            configs = FEW[max(rows, 16)]
            candidates = {"tilewright": best("tilewright", configs, few_rows(tile_schedules, outputs[0])),
                          "triton": best("triton", configs, few_rows(twin, outputs[1])),
                          "cublas": lambda x=x, weights=weights, y=outputs[2]: torch.matmul(x, weights.T, out=y)}
            yield Workload(f"gemm {rows}x{size}x{size} float16", candidates, results(candidates, outputs),
                           x.double() @ weights.double().T, tolerance=5e-3,
                           bytes=2.0 * (weights.numel() + 2 * x.numel()))


def _counters() -> torch.Tensor:
    return torch.zeros(8192, dtype=torch.int32, device=place.device())
