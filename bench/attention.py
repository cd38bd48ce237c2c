"""Attention on an NVIDIA GPU, against cuDNN (through torch) and Triton."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from bench import place
from bench.candidates import Options, best, results
from bench.twin import load_twin
from bench.workload import Workload

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import attention as tile_pointers  # noqa: E402
import attention_backward as tile_backward  # noqa: E402
import attention_descriptors as tile_descriptors  # noqa: E402


def tile(m: int, n: int, warps: int, stages: int, **more: Any) -> Options:
    """A configuration."""
    return {"BLOCK_M": m, "BLOCK_N": n, "num_warps": warps, "num_stages": stages, **more}


POINTERS = [tile(128, 128, 8, 3), tile(128, 64, 8, 4), tile(128, 64, 4, 3), tile(64, 128, 4, 3), tile(64, 64, 4, 3)]
WIDE = [tile(128, 128, 8, 2), tile(128, 64, 8, 3), tile(64, 128, 4, 2), tile(64, 64, 4, 3)]
NARROW = [tile(128, 128, 8, 3), tile(128, 64, 8, 3), tile(128, 64, 4, 3), tile(64, 128, 4, 3), tile(64, 64, 4, 3)]
TRIPLE = [tile(192, 128, 12, 2), tile(192, 128, 12, 3), tile(192, 64, 12, 3)]  # three groups of warps multiply
TRIPLE_WIDE = [tile(192, 64, 12, 2), tile(192, 64, 12, 3)]
SHARED = [tile(128, 128, 8, 3, shared=True), tile(128, 128, 8, 2, shared=True)]  # blocks shared among few programs
UNPEELED = [tile(128, 128, 8, 2, PEELED=False), tile(128, 128, 8, 3, PEELED=False)]
BACKWARD = [tile(64, 128, 8, 2), tile(64, 64, 4, 2), tile(64, 128, 8, 2, deterministic=True)]
BACKWARD_NARROW = [*BACKWARD, tile(64, 128, 8, 3), tile(128, 128, 8, 2)]


def attention() -> Iterator[Workload]:
    """Loads and stores by pointers."""
    twin = load_twin("examples/attention.py")
    for size, causal in place.sizes(((64, False), (64, True), (128, False), (128, True)), ((64, True),)):
        q, k, v = _operands(*place.sizes((64, 64, 4096), (2, 2, 128)), size)
        yield _forward("pointers", twin, tile_pointers, q, k, v, causal, POINTERS, POINTERS)


def attention_forward() -> Iterator[Workload]:
    """By descriptors: long and short sequences, and heads in groups."""
    twin = load_twin("examples/attention_descriptors.py")
    shapes = [(heads, heads, length) for heads, length in ((128, 8192), (256, 2048))]
    for heads, kv_heads, length in place.sizes(shapes, ((4, 2, 128),)):
        for size, causal in place.sizes(((64, False), (64, True), (128, False), (128, True)), ((64, True),)):
            yield _by_descriptors(twin, heads, kv_heads, length, size, causal)
    yield _by_descriptors(twin, *place.sizes((64, 8, 8192, 128), (8, 4, 96, 64)), True)


def _by_descriptors(twin: Any, heads: int, kv_heads: int, length: int, size: int, causal: bool) -> Workload:
    q, k, v = _operands(heads, kv_heads, length, size)
    shared = SHARED[size == 128:] if causal else []
    theirs = [*(WIDE if size == 128 else NARROW), *shared]
    ours = [*theirs, *(TRIPLE_WIDE if size == 128 else TRIPLE), *(UNPEELED[:1] if causal else ())]
    return _forward("descriptors", twin, tile_descriptors, q, k, v, causal, ours, theirs)


def _operands(heads: int, kv_heads: int, length: int, size: int) -> list[torch.Tensor]:
    return [place.randn(count, length, size, dtype=torch.float16) for count in (heads, kv_heads, kv_heads)]


def _forward(kind: str, twin: Any, example: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool,
             ours: list[Options], theirs: list[Options]) -> Workload:
    outputs = [torch.empty_like(q) for _ in range(3)]
    shares: dict[tuple[int, int], list[torch.Tensor]] = {}

    def share(BLOCK_M: int, BLOCK_N: int) -> list[torch.Tensor]:
        if (BLOCK_M, BLOCK_N) not in shares:
            arrays = tile_descriptors.share_blocks(q, causal, BLOCK_M, BLOCK_N)
            shares[BLOCK_M, BLOCK_N] = [torch.from_numpy(array).to(q.device) for array in arrays]
        return shares[BLOCK_M, BLOCK_N]

    def by(module: Any, output: torch.Tensor) -> Any:
        def call(options: Options) -> Any:
            rest = {name: value for name, value in options.items() if name != "shared"}
            more = {"shares": share(options["BLOCK_M"], options["BLOCK_N"])} if "shared" in options else {}
            return module.attention(q, k, v, causal, output, **more, **rest)

        return call

    candidates = {"tilewright": best("tilewright", ours, by(example, outputs[0])),
                  "triton": best("triton", theirs, by(twin, outputs[1])),
                  "cudnn": lambda: sdpa(q, k, v, causal)}
    computed = {**results(dict(list(candidates.items())[:2]), outputs[:2]), "cudnn": candidates["cudnn"]}
    group = q.shape[0] // k.shape[0]
    wide = [array.float().repeat_interleave(q.shape[0] // array.shape[0], 0) for array in (q, k, v)]
    heads = f"{q.shape[0]}/{k.shape[0]}" if group > 1 else str(q.shape[0])
    return Workload(f"attention {kind} {heads}x{q.shape[1]}x{q.shape[2]}{' causal' if causal else ''}", candidates,
                    computed, sdpa(*wide, causal, SDPBackend.EFFICIENT_ATTENTION), tolerance=5e-3,
                    flops=forward_flops(q, causal))


def sdpa(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool,
         backend: SDPBackend = SDPBackend.CUDNN_ATTENTION) -> torch.Tensor:
    """torch's attention of arrays (heads, length, size)."""
    choice: AbstractContextManager = nullcontext() if place.is_dry() else sdpa_kernel(backend)
    with choice:
        return scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal,
                                            enable_gqa=q.shape[0] != k.shape[0])[0]


def forward_flops(q: torch.Tensor, causal: bool) -> float:
    """Of the two products; half of them where half of the scores are not visible."""
    heads, length, size = q.shape
    return 4.0 * heads * length * length * size / (2 if causal else 1)


def attention_backward() -> Iterator[Workload]:
    """All kernels of the backward pass, with what they need beside the five products."""
    twin = load_twin("examples/attention_backward.py")
    shapes = [(heads, heads, length) for heads, length in ((128, 8192), (256, 2048))]
    for heads, kv_heads, length in place.sizes(shapes, ((4, 2, 128),)):
        for size, causal in place.sizes(((64, False), (64, True), (128, False), (128, True)), ((64, True),)):
            yield _backward(twin, *_operands(heads, kv_heads, length, size), causal)


def _backward(twin: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> Workload:
    d_output = place.randn(*q.shape, dtype=q.dtype)
    logsums = torch.empty(q.shape[:2], device=q.device)
    output = tile_descriptors.attention(q, k, v, causal, logsums=logsums, BLOCK_M=64, BLOCK_N=64, num_stages=2)
    gradients = [tuple(torch.empty_like(array) for array in (q, k, v)) for _ in range(2)]
    configs = BACKWARD if q.shape[2] == 128 else BACKWARD_NARROW

    def by(module: Any, outputs: tuple[torch.Tensor, ...]) -> Any:
        return lambda options: module.attention_backward(q, k, v, output, logsums, d_output, causal, outputs, **options)

    candidates = {"tilewright": best("tilewright", configs, by(tile_backward, gradients[0])),
                  "triton": best("triton", configs, by(twin, gradients[1])),
                  "cudnn": _sdpa_backward(q, k, v, d_output, causal, SDPBackend.CUDNN_ATTENTION)}

    def result(name: str, outputs: tuple[torch.Tensor, ...] | None) -> torch.Tensor:
        for array in outputs or ():
            array.fill_(-7)
        return torch.cat([array.reshape(-1) for array in candidates[name]()])

    computed = {name: lambda name=name, outputs=outputs: result(name, outputs)
                for name, outputs in zip(candidates, [*gradients, None], strict=True)}
    group = q.shape[0] // k.shape[0]
    exact = _sdpa_backward(q.float(), k.float(), v.float(), d_output.float(), causal, SDPBackend.EFFICIENT_ATTENTION)
    heads = f"{q.shape[0]}/{k.shape[0]}" if group > 1 else str(q.shape[0])
    return Workload(f"attention backward {heads}x{q.shape[1]}x{q.shape[2]}{' causal' if causal else ''}", candidates,
                    computed, torch.cat([array.reshape(-1) for array in exact()]), tolerance=5e-3,
                    flops=2.5 * forward_flops(q, causal))


def _sdpa_backward(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, d_output: torch.Tensor, causal: bool,
                   backend: SDPBackend) -> Callable[[], tuple[torch.Tensor, ...]]:
    inputs = [array.detach().requires_grad_() for array in (q, k, v)]
    output = sdpa(*inputs, causal, backend)
    return lambda: torch.autograd.grad(output, inputs, d_output, retain_graph=True)
