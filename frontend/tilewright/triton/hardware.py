"""What a GPU can do at most, its clocks, and Triton's other ways to time a function."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tilewright.testing import do_bench
from tilewright.triton.devices import gpu_properties
from tilewright.triton.targets import current

#: Operations of a matrix unit in a clock by the size of an element in bits; there are four units a processor.
_MATRIX_OPERATIONS = {32: 256, 16: 512, 8: 1024}
_VECTOR_OPERATIONS = {32: 32, 16: 64}
_UNITS = 4


def do_bench_cudagraph(fn: Callable[[], Any], rep: float = 20, grad_to_none: Sequence[Any] | None = None,
                       quantiles: Sequence[float] | None = None, return_mode: str = "mean") -> Any:
    """Time a function in milliseconds; the time of launching is left out, as of a graph."""
    return do_bench(fn, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)


def do_bench_proton(fn: Callable[[], Any], warmup: float = 25, rep: float = 100,
                    grad_to_none: Sequence[Any] | None = None, quantiles: Sequence[float] | None = None,
                    return_mode: str = "mean") -> Any:
    """Time a function in milliseconds, by events."""
    return do_bench(fn, warmup, rep, grad_to_none, quantiles, return_mode)


def do_bench_cudagraph_proton(fn: Callable[[], Any], rep: float = 20, grad_to_none: Sequence[Any] | None = None,
                              quantiles: Sequence[float] | None = None, return_mode: str = "mean") -> Any:
    """Time a function in milliseconds, by events."""
    return do_bench_cudagraph(fn, rep, grad_to_none, quantiles, return_mode)


def _properties(device: Any, what: str) -> dict[str, Any]:
    if current().backend != "cuda":
        raise RuntimeError(f"{what} is known of NVIDIA GPUs, and there is none here that torch can use")
    return gpu_properties(getattr(device, "index", device) or 0)


def get_dram_gbps(device: Any = None) -> float:
    """Gigabytes in a second that a GPU's memory can carry."""
    facts = _properties(device, "the bandwidth of memory")
    return facts["mem_clock_rate"] * facts["mem_bus_width"] * 2 / 1e6 / 8


def _bits_of(dtype: Any) -> int:
    itemsize = getattr(dtype, "itemsize", None)
    if itemsize is None:
        raise TypeError(f"expects a type of elements, got {dtype!r}")
    return itemsize * 8


def _peak(operations: dict[int, int], dtype: Any, clock_rate: float, device: Any, what: str) -> float:
    bits = _bits_of(dtype)
    if bits not in operations:
        raise ValueError(f"{what} of {dtype} is not known")
    facts = _properties(device, what)
    return facts["multiprocessor_count"] * _UNITS * clock_rate * operations[bits] * 1e-9


def get_max_tensorcore_tflops(dtype: Any, clock_rate: float, device: Any = None) -> float:
    """Operations in a second, in millions of millions, that a GPU's matrix units can do.

    Args:
        dtype: Of the operands.
        clock_rate: In kilohertz.
        device: Number of the GPU.
    """
    return _peak(_MATRIX_OPERATIONS, dtype, clock_rate, device, "the speed of matrix units")


def get_max_simd_tflops(dtype: Any, clock_rate: float, device: Any = None) -> float:
    """The same of a GPU's vector units."""
    return _peak(_VECTOR_OPERATIONS, dtype, clock_rate, device, "the speed of vector units")


def nvsmi(attrs: Sequence[str]) -> list[int]:
    """Numbers that `nvidia-smi` tells of the first GPU."""
    command = ["nvidia-smi", "-i", "0", f"--query-gpu={','.join(attrs)}", "--format=csv,noheader,nounits"]
    return [int(value) for value in subprocess.check_output(command, text=True).strip().split(",")]


@contextmanager
def set_gpu_clock(ref_sm_clock: int = 1350, ref_mem_clock: int = 1215) -> Iterator[tuple[float, float]]:
    """Hold the first GPU's clocks, in megahertz; gives the peaks of matrix units and of memory at them."""
    commands = [["-pm", "1"], [f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}"],
                [f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}"]]
    try:
        for command in commands:
            subprocess.check_output(["nvidia-smi", "-i", "0", *command])
        tflops = 1e-6 * 2 * 108 * 4 * 256 * ref_sm_clock
        yield tflops, 640 * 2 * ref_mem_clock * 1e-3
    finally:
        for command in (["-pm", "0"], ["-rgc"], ["-rmc"]):
            subprocess.check_output(["nvidia-smi", "-i", "0", *command])


def cuda_memcheck(**target_kwargs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Run a test once more under `compute-sanitizer` where its arguments are these."""
    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def checked(*args: Any, **kwargs: Any) -> Any:
            wanted = target_kwargs.items() <= kwargs.items()
            if not wanted or os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING") == "1":
                return test(*args, **kwargs)
            name = kwargs["request"].node.name if "request" in kwargs else test.__name__
            command = ["compute-sanitizer", "--error-exitcode=1", sys.executable, "-m", "pytest", "-vs",
                       f"{test.__code__.co_filename}::{name}"]
            done = subprocess.run(command, capture_output=True, text=True,
                                  env={**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"})
            assert done.returncode == 0, done.stdout + done.stderr
            return None

        return checked

    return decorate
