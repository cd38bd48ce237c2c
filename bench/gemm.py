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


def tile(m: int, n: int, k: int, warps: int, stages: int, **more: Any) -> Options:
    """A configuration."""
    return {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "num_warps": warps, "num_stages": stages, **more}


LARGE = [tile(128, 256, 64, 8, 3), tile(128, 256, 64, 8, 4), tile(128, 256, 64, 8, 4, PARTS=2),
         tile(256, 128, 64, 8, 3)]
SMALL = [tile(128, 128, 64, 4, 4), tile(128, 128, 64, 8, 4), tile(64, 256, 64, 4, 4), tile(64, 128, 64, 4, 5)]
ODD = [tile(128, 192, 64, 8, 4), tile(192, 192, 64, 12, 3)]  # Triton's blocks are powers of two
FLAT = [tile(128, 256, 64, 8, 3, FLATTEN=True), tile(128, 256, 64, 8, 4, PARTS=2, FLATTEN=True),
        tile(128, 128, 64, 8, 4, FLATTEN=True)]


def matmul() -> Iterator[Workload]:
    """Products by pointers, a program for each tile."""
    twin = load_twin("examples/matmul.py")
    configs = [LARGE[0], LARGE[1], *SMALL[:2], tile(128, 128, 64, 8, 3), SMALL[3]]
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
            yield _product(twin, size, dtype, True, "host", [*LARGE, *SMALL, *ODD], [*LARGE, *SMALL, *FLAT])


def gemm_rows() -> Iterator[Workload]:
    """The same with b given by rows, and with descriptors made in the kernel."""
    twin = load_twin("examples/matmul_persistent.py")
    for size in place.sizes((4096, 8192), (96,)):
        yield _product(twin, size, torch.float16, False, "host", LARGE, [*LARGE, *FLAT[:2]])
    for size in place.sizes((4096,), (96,)):
        yield _product(twin, size, torch.float16, True, "device", LARGE, [*LARGE, *FLAT[:2]])


def _product(twin: Any, size: int, dtype: torch.dtype, transposed: bool, descriptors: str, ours: list[Options],
             theirs: list[Options]) -> Workload:
    a, b = (place.randn(size, size, dtype=dtype) for _ in range(2))
    outputs = [torch.empty_like(a) for _ in range(3)]
    second = b.T if transposed else b

    def persistent(module: Any, c: Any) -> Any:
        return lambda options: module.matmul(a, b, c, transposed, descriptors == "host", **options)

    candidates = {"tilewright": best("tilewright", ours, persistent(tile_persistent, outputs[0])),
                  "triton": best("triton", theirs, persistent(twin, outputs[1])),
                  "cublas": lambda: torch.matmul(a, second, out=outputs[2])}
    kind = f"{str(dtype).removeprefix('torch.')} {'nt' if transposed else 'nn'}"
    return Workload(f"gemm {size}^3 {kind} {descriptors}", candidates, results(candidates, outputs),
                    a.double() @ second.double(), tolerance=5e-3, flops=2.0 * size**3)
