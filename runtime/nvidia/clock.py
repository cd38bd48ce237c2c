"""Timing of what is put on a GPU's stream."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tilewright.runtime.nvidia.device import Device
from tilewright.runtime.nvidia.driver import call

_PURPOSE = "timing"
#: At least; a GPU with a larger second-level cache has more overwritten.
_FLUSH_BYTES = 256 * 1024 * 1024


class Clock:
    """Times runs by events on torch's current stream, or on the default one without torch.

    Before each run a buffer is overwritten, so that no data of the run before is in the caches.
    """

    def __init__(self) -> None:
        torch = sys.modules.get("torch")
        uses_torch = torch is not None and torch.cuda.is_available()
        self.device = Device.get(torch.cuda.current_device() if uses_torch else 0)
        self.stream = torch.cuda.current_stream().cuda_stream if uses_torch else 0
        self.flush_bytes = max(_FLUSH_BYTES, 2 * self.device.properties.l2_bytes)
        self.buffer: Any = None

    def __enter__(self) -> Clock:
        call(_PURPOSE, "cuCtxPushCurrent", self.device.context)
        try:
            self.buffer = call(_PURPOSE, "cuMemAlloc", self.flush_bytes)
        except BaseException:
            call(_PURPOSE, "cuCtxPopCurrent")
            raise
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._wait()
            call(_PURPOSE, "cuMemFree", self.buffer)
        finally:
            call(_PURPOSE, "cuCtxPopCurrent")

    def measure(self, run: Callable[[], None], warmup: float, rep: float) -> list[float]:
        """Times of runs in milliseconds; they and what lies between them take about `rep`, after `warmup`."""
        trials = 5
        with _Events(trials) as events:
            self._run(run, events)
            estimate = max(events.elapsed(0, trials - 1) / trials, 1e-3)
        for _ in range(max(1, int(warmup / estimate))):
            run()
        with _Events(max(1, int(rep / estimate))) as events:
            self._run(run, events)
            return [events.elapsed(i, i) for i in range(events.count)]

    def _run(self, run: Callable[[], None], events: _Events) -> None:
        for start, end in zip(events.starts, events.ends, strict=True):
            call(_PURPOSE, "cuMemsetD8Async", self.buffer, 0, self.flush_bytes, self.stream)
            call(_PURPOSE, "cuEventRecord", start, self.stream)
            run()
            call(_PURPOSE, "cuEventRecord", end, self.stream)
        self._wait()

    def _wait(self) -> None:
        call(_PURPOSE, "cuStreamSynchronize", self.stream)


class _Events:
    """Pairs of events, one a run."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.starts: list[Any] = []
        self.ends: list[Any] = []

    def __enter__(self) -> _Events:
        for events in (self.starts, self.ends):
            events += [call(_PURPOSE, "cuEventCreate", 0) for _ in range(self.count)]
        return self

    def __exit__(self, *error: object) -> None:
        for event in (*self.starts, *self.ends):
            call(_PURPOSE, "cuEventDestroy", event)

    def elapsed(self, first: int, last: int) -> float:
        """Milliseconds from the start of one run to the end of another."""
        return call(_PURPOSE, "cuEventElapsedTime", self.starts[first], self.ends[last])
