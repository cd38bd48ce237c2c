"""What is measured: a workload has candidates that compute the same, ours first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Workload:
    """Candidates by name; each call computes into memory of its own.

    `results` gives each candidate's result and `reference` the true one, for the check before the
    timing. `bytes` and `flops` of one call turn times into rates; `unit` is what a time is shown in
    where neither is given.
    """

    name: str
    candidates: dict[str, Callable[[], Any]]
    results: dict[str, Callable[[], Any]] = field(default_factory=dict)
    reference: Any = None
    tolerance: float = 1e-5
    bytes: float = 0
    flops: float = 0

    def rate(self, seconds: float) -> str:
        if self.flops:
            return f"{self.flops / seconds * 1e-9:9.1f} GFLOP/s"
        if self.bytes:
            return f"{self.bytes / seconds * 1e-9:9.1f} GB/s"
        return f"{seconds * 1e6:9.2f} us"
