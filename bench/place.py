"""Where the workloads of a GPU run: on it, or, to try them out without one, on the CPU at tiny sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_dry = False
_gpu = False
_workers = 1


def set_dry() -> None:
    """Run on the CPU at tiny sizes, and time nothing."""
    global _dry
    _dry = True


def is_dry() -> bool:
    """Whether workloads are only tried out."""
    return _dry


def set_gpu() -> None:
    """Run on a GPU."""
    global _gpu
    _gpu = True


def has_gpu() -> bool:
    """Whether workloads run on a GPU."""
    return _gpu and not _dry


def set_workers(count: int) -> None:
    """Let so many threads compile."""
    global _workers
    _workers = count


def workers() -> int:
    """How many threads compile."""
    return _workers


def device() -> str:
    """Where tensors are made."""
    return "cpu" if _dry else "cuda"


def sizes(full: Sequence[Any], tiny: Sequence[Any]) -> Sequence[Any]:
    """What is measured, or what is tried out."""
    return tiny if _dry else full


def randn(*shape: int, dtype: Any = None) -> Any:
    """Normal random numbers where the workloads run."""
    import torch

    return torch.randn(*shape, device=device(), dtype=torch.float32).to(dtype or torch.float32)
