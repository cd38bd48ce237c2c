"""Timing kernels, comparing results, and tables of measurements."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tilewright.benchmarks import Benchmark, Mark, perf_report
from tilewright.runtime import gpu

__all__ = ["Benchmark", "Mark", "assert_close", "do_bench", "perf_report"]

_MODES: dict[str, Callable[[np.ndarray], Any]] = {
    "min": np.min, "max": np.max, "mean": np.mean, "median": np.median, "all": list}


def do_bench(fn: Callable[[], Any], warmup: float = 25, rep: float = 100, grad_to_none: Sequence[Any] | None = None,
             quantiles: Sequence[float] | None = None, return_mode: str = "mean", device: str | None = None) -> Any:
    """Time a function in milliseconds.

    On a GPU each run is timed by events on the current stream, after its second-level cache was
    overwritten. On the CPU each run is timed by the clock, with the caches as the run before left them.

    Args:
        fn: What to time, called without arguments.
        warmup: How long to run it before, in milliseconds.
        rep: How long to measure, in milliseconds.
        grad_to_none: Tensors whose ``grad`` is dropped before each run.
        quantiles: Give these quantiles of the times instead of `return_mode`; one number if it is one.
        return_mode: "min", "max", "mean", "median", or "all" for the list of times.
        device: "gpu" or "cpu"; by default the GPU if torch or a kernel uses one, else the CPU.

    Raises:
        ValueError: If a mode or a device does not exist.
    """
    if return_mode not in _MODES:
        raise ValueError(f"return_mode={return_mode!r}: expected one of {', '.join(_MODES)}")
    if device not in (None, "gpu", "cpu"):
        raise ValueError(f"device={device!r}: expected 'gpu' or 'cpu'")

    def run() -> None:
        for tensor in grad_to_none or ():
            tensor.grad = None
        fn()

    run()  # compiles, and shows where it runs
    with _make_clock(device) as clock:
        times = np.array(clock.measure(run, warmup, rep))
    if quantiles is not None:
        values = [float(value) for value in np.quantile(times, quantiles)]
        return values[0] if len(values) == 1 else values
    result = _MODES[return_mode](times)
    return [float(value) for value in result] if return_mode == "all" else float(result)


def _make_clock(device: str | None) -> Any:
    if device is None:
        device = "gpu" if gpu.is_in_use() else "cpu"
    return gpu.make_clock() if device == "gpu" else _CpuClock()


class _CpuClock:
    """Times runs by the system's clock."""

    def __enter__(self) -> _CpuClock:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def measure(self, run: Callable[[], None], warmup: float, rep: float) -> list[float]:
        self._repeat(run, warmup)
        return self._repeat(run, rep)

    def _repeat(self, run: Callable[[], None], budget: float) -> list[float]:
        """Times of runs until their sum is the budget; at least one."""
        times: list[float] = []
        total = 0.0
        while total < budget or not times:
            start = time.perf_counter_ns()
            run()
            times.append((time.perf_counter_ns() - start) * 1e-6)
            total += times[-1]
        return times


def assert_close(x: Any, y: Any, atol: float | None = None, rtol: float | None = None, err_msg: str = "") -> None:
    """Raise AssertionError unless two arrays or tensors agree.

    Args:
        x: What was computed: an array of any library, or a number.
        y: What is right.
        atol: Largest absolute difference (default 1e-2).
        rtol: Largest difference relative to `y` (default 0).
        err_msg: Put before the message.
    """
    actual, expected = _to_numpy(x), _to_numpy(y)
    np.testing.assert_allclose(actual, expected, atol=1e-2 if atol is None else atol, rtol=rtol or 0,
                               equal_nan=True, err_msg=err_msg)


def _to_numpy(value: Any) -> np.ndarray:
    """As an array of numpy's own types; torch's bfloat16 and 8-bit floats become float32."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if value.dtype.is_floating_point and value.dtype.itemsize <= 2:
            value = value.float()
        return value.numpy()
    if hasattr(value, "get") and hasattr(value, "__cuda_array_interface__"):
        value = value.get()
    array = np.asarray(value)
    # ml_dtypes' types are numpy's "void" kind, which it does not subtract.
    return array.astype(np.float32) if array.dtype.kind == "V" and array.dtype.names is None else array
