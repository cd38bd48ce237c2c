"""Many products in one launch on an NVIDIA GPU: groups of matrices, and layers of experts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bench import place
from bench.candidates import Options, best, results
from bench.gemm import tile
from bench.twin import load_twin
from bench.workload import Workload

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import matmul_experts as tile_experts  # noqa: E402
import matmul_grouped as tile_grouped  # noqa: E402

GROUPED = [tile(128, 128, 64, 8, 4), tile(128, 256, 64, 8, 3), tile(128, 128, 64, 4, 4), tile(64, 128, 64, 4, 4)]
EXPERTS = [tile(128, 128, 64, 8, 4), tile(128, 128, 64, 4, 4), tile(64, 128, 64, 4, 4), tile(128, 256, 64, 8, 3),
           tile(64, 256, 64, 4, 3)]
EXPERTS = [dict(config, persistent=persistent) for config in EXPERTS for persistent in (False, True)]
EXPERTS_FEW = [tile(m, n, k, 4, stages, persistent=False)
               for m, n, k, stages in ((16, 128, 64, 5), (16, 64, 128, 4), (16, 128, 128, 4), (32, 64, 128, 4),
                                       (32, 128, 64, 5), (64, 64, 128, 3), (64, 64, 64, 5), (64, 128, 64, 4))]
EXPERTS_FEW += [tile(*sizes, persistent=True) for sizes in ((64, 128, 128, 8, 4), (64, 64, 256, 4, 3),
                                                            (32, 128, 128, 4, 5))]


def grouped() -> Iterator[Workload]:
    """Problems with different numbers of rows; torch multiplies one after the other."""
    twin = load_twin("examples/matmul_grouped.py")
    for count, most, n, k in place.sizes(((16, 2048, 4096, 4096), (32, 256, 2048, 2048)), ((3, 64, 64, 64),)):
        rows = [int(size) for size in np.random.default_rng(0).integers(1, most, count)]
        pairs = [(place.randn(m, k, dtype=torch.float16), place.randn(n, k, dtype=torch.float16)) for m in rows]
        outputs = [torch.empty(sum(rows), n, device=place.device(), dtype=torch.float16) for _ in range(3)]
        starts = np.cumsum([0, *rows])

        def together(module: Any, output: Any, pairs: Any = pairs, starts: Any = starts) -> Any:
            groups = [(a, b, output[start:start + a.shape[0]]) for (a, b), start in zip(pairs, starts, strict=False)]
            table = module.describe_problems(groups, lambda array: torch.from_numpy(array).to(output.device))
            return lambda options: module.matmul(table, len(groups), pairs[0][0], **options)

        def each(output: Any = outputs[2], pairs: Any = pairs, starts: Any = starts) -> None:
            for (a, b), start in zip(pairs, starts, strict=False):
                torch.matmul(a, b.T, out=output[start:start + a.shape[0]])

        candidates = {"tilewright": best("tilewright", GROUPED, together(tile_grouped, outputs[0])),
                      "triton": best("triton", GROUPED, together(twin, outputs[1])), "cublas": each}
        exact = torch.cat([a.double() @ b.double().T for a, b in pairs])
        yield Workload(f"grouped gemm {count} of up to {most}x{n}x{k}", candidates, results(candidates, outputs), exact,
                       tolerance=5e-3, flops=2.0 * sum(rows) * n * k)


def moe() -> Iterator[Workload]:
    """Products of a layer of experts, with many tokens and with few."""
    twin = load_twin("examples/matmul_experts.py")
    shapes = ((4096, 8, 2, 4096, 4096), (4096, 128, 8, 1536, 2048), (64, 8, 2, 4096, 4096))
    for tokens, experts, choices, n, k in place.sizes(shapes, ((20, 4, 2, 64, 64),)):
        x = place.randn(tokens, k, dtype=torch.float16)
        weights = place.randn(experts, n, k, dtype=torch.float16)
        chosen = torch.rand(tokens, experts).argsort(dim=1)[:, :choices]
        shares = torch.rand(tokens * choices, device=x.device)
        configs = EXPERTS if tokens * choices >= 32 * experts else EXPERTS_FEW
        orders = {block: [torch.from_numpy(array).to(x.device) for array in
                          tile_experts.sort_by_expert(chosen.numpy(), experts, block)]
                  for block in {config["BLOCK_M"] for config in configs}}
        outputs = [torch.empty(tokens * choices, n, device=x.device, dtype=torch.float16) for _ in range(2)]

        def layer(module: Any, y: Any, arrays: Any = (x, weights), shares: Any = shares, orders: Any = orders) -> Any:
            def call(options: Options) -> Any:
                return module.multiply_experts(*arrays, y, shares, *orders[options["BLOCK_M"]], **options)

            return call

        candidates = {"tilewright": best("tilewright", configs, layer(tile_experts, outputs[0])),
                      "triton": best("triton", configs, layer(twin, outputs[1]))}
        yield Workload(f"experts {tokens} to {choices} of {experts}, {n}x{k}", candidates, results(candidates, outputs),
                       _exact_layer(x, weights, chosen, shares), tolerance=5e-3, flops=2.0 * tokens * choices * n * k)


def _exact_layer(x: torch.Tensor, weights: torch.Tensor, chosen: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
    tokens, choices = chosen.shape
    exact = torch.zeros(tokens * choices, weights.shape[1], device=x.device, dtype=torch.float64)
    for expert, matrix in enumerate(weights):
        slots = (chosen.reshape(-1) == expert).nonzero()[:, 0].to(x.device)
        exact[slots] = x[slots // choices].double() @ matrix.double().T
    return exact * shares[:, None]
