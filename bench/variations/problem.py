"""What a variation is: a kernel as its author writes it, with arguments and what it should give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from bench import place

Options = dict[str, Any]


@dataclass
class Problem:
    """One launch, over its configurations.

    `launch` runs the kernel with one of `configs`, `output` is what it writes (the result that is checked), and
    `expected` computes the true one. `flops` or `bytes` of one launch turn its time into a rate.
    """

    launch: Callable[[Options], Any]
    configs: Sequence[Options]
    output: Any
    expected: Callable[[], Any]
    flops: float = 0
    bytes: float = 0
    tolerance: float = 5e-3


def tile(m: int, n: int, k: int, warps: int, stages: int, **more: Any) -> Options:
    """A configuration of a product: the block's sides, and what launches it."""
    return {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "num_warps": warps, "num_stages": stages, **more}


def warps(*counts: int, **constants: Any) -> list[Options]:
    """Configurations that differ in the number of warps."""
    return [{**constants, "num_warps": count} for count in counts]


def rand(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Uniform numbers between 0 and 1 where the workloads run."""
    return torch.rand(*shape, device=place.device()).to(dtype)


def random_indices(high: int, *shape: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    """Random integers from 0 to below `high`."""
    return torch.randint(0, high, shape, device=place.device(), dtype=dtype)


def size(*tensors: torch.Tensor) -> float:
    """Bytes of tensors."""
    return float(sum(tensor.numel() * tensor.element_size() for tensor in tensors))


def bfloat16() -> torch.dtype:
    """bf16; where programs are interpreted fp16, since the peer's interpreter multiplies the bits of bf16."""
    return torch.float16 if place.is_dry() else torch.bfloat16


def processors() -> int:
    """How many programs run at once at least."""
    return 3 if place.is_dry() else torch.cuda.get_device_properties(0).multi_processor_count
