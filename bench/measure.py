"""Timing: candidates interleaved in random order, many short rounds, medians."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

Candidate = Callable[[], Any]

# What the calls of one candidate in a round may take on a GPU.
_ROUND_SECONDS = 0.012


def time_cpu(candidates: dict[str, Candidate], rounds: int) -> dict[str, float]:
    """Median seconds per call of each candidate on the host."""
    repeats = {name: _calibrate(call) for name, call in candidates.items()}
    samples: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name in random.sample(list(candidates), len(candidates)):
            call, count = candidates[name], repeats[name]
            settle(call)
            start = time.perf_counter()
            for _ in range(count):
                call()
            samples[name].append((time.perf_counter() - start) / count)
    return {name: statistics.median(values) for name, values in samples.items()}


def settle(call: Candidate, seconds: float = 0.25) -> None:
    """Wait until threads of the candidate before, which spin for a while, sleep; then wake this one's."""
    time.sleep(seconds)
    call()


def _calibrate(call: Candidate, least: float = 0.02) -> int:
    """How many calls last `least` seconds; warms up on the way."""
    call()
    start = time.perf_counter()
    call()
    return max(1, round(least / max(time.perf_counter() - start, 1e-7)))


def time_cuda(candidates: dict[str, Candidate], rounds: int, calls: int = 8) -> dict[str, float]:
    """Median seconds per call on the GPU: events around single calls, a cold L2 before each. Long calls are fewer."""
    import torch

    flush = torch.zeros(64 << 20, device="cuda")
    counts = {}
    for name, call in candidates.items():
        seconds = min(_time_calls(call, 3, flush))
        counts[name] = max(2, min(calls, round(_ROUND_SECONDS / seconds)))
    samples: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name in random.sample(list(candidates), len(candidates)):
            samples[name] += _time_calls(candidates[name], counts[name], flush)
    return {name: statistics.median(values) for name, values in samples.items()}


def time_cuda_bursts(candidates: dict[str, Candidate], rounds: int = 5, calls: int = 4,
                     pause: float = 0.3) -> dict[str, float]:
    """Median seconds per call where each few calls follow a pause, in which the GPU cools and its clocks rise."""
    import torch

    flush = torch.zeros(64 << 20, device="cuda")
    samples: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name in random.sample(list(candidates), len(candidates)):
            time.sleep(pause)
            samples[name] += _time_calls(candidates[name], calls, flush)
    return {name: statistics.median(values) for name, values in samples.items()}


def _time_calls(call: Candidate, calls: int, flush: Any) -> list[float]:
    import torch

    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
              for _ in range(calls)]
    torch.cuda._sleep(3_000_000)  # so that the GPU never waits for the host
    for start, end in events:
        flush.sum()  # reads: no call pays for writing back what the cache is full of
        start.record()
        call()
        end.record()
    torch.cuda.synchronize()
    return [start.elapsed_time(end) * 1e-3 for start, end in events]
