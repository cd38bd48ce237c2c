"""What a variation is: a kernel as its author writes it, with arguments and what it should give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

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
