"""Arrays for the examples: numpy on the CPU, torch on a GPU, with one spelling."""

from __future__ import annotations

import argparse
import os
from typing import Any

import numpy as np

_CUDA = False
_FILL = True


def parse_device(description: str) -> str:
    """Read `--device cpu|cuda` from the command line; the default is the CPU."""
    global _CUDA
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    device = parser.parse_args().device
    _CUDA = device == "cuda"
    return device


def on_device(array: np.ndarray) -> Any:
    """The array where the kernel runs: itself, or a torch tensor on the GPU."""
    if not _CUDA:
        return array
    import torch

    if array.dtype.kind != "V":
        return torch.from_numpy(array).cuda()
    # torch takes no types of ml_dtypes from numpy, but has them under the same names.
    bits = torch.from_numpy(array.view(f"int{array.itemsize * 8}"))
    return bits.cuda().view(getattr(torch, array.dtype.name))


def leave_unfilled() -> None:
    """Let `empty` and `empty_like` take no time: their memory holds anything."""
    global _FILL
    _FILL = False


def empty_like(array: Any, dtype: str | None = None) -> Any:
    """Uninitialised memory of the same shape; filled with NaN where possible, so that a lane that
    is never written shows in a check."""
    if isinstance(array, np.ndarray):
        result = np.empty(array.shape, dtype or array.dtype)
        if _FILL:
            result.fill(np.nan if result.dtype.kind == "f" else 99)
        return result
    import torch

    kind = getattr(torch, dtype) if dtype else array.dtype
    result = torch.empty(array.shape, dtype=kind, device=array.device)
    return result.fill_(float("nan") if kind.is_floating_point else 99) if _FILL else result


def empty(shape: tuple[int, ...], dtype: str, like: Any) -> Any:
    """Uninitialised memory of a shape and type where `like` is, filled as `empty_like` fills it."""
    return empty_like(np.empty(shape) if isinstance(like, np.ndarray) else like.new_empty(shape), dtype)


def processors(array: Any) -> int:
    """How many programs run at once where the array is: a GPU's multiprocessors, a CPU's cores."""
    if isinstance(array, np.ndarray) or not array.is_cuda:
        return os.cpu_count() or 1
    import torch

    return torch.cuda.get_device_properties(array.device).multi_processor_count


def to_numpy(array: Any) -> np.ndarray:
    """The values on the host."""
    return array if isinstance(array, np.ndarray) else array.cpu().numpy()


def report(name: str, result: Any, expected: np.ndarray, tolerance: float) -> None:
    """Compare by ‖result − expected‖ / ‖expected‖ and end the program on a difference."""
    difference = np.linalg.norm(to_numpy(result).astype(np.float64) - expected)
    error = difference / max(np.linalg.norm(expected), 1e-30)
    good = bool(error <= tolerance)  # false for NaN
    print(f"{name}: relative error {error:.2e} {'(ok)' if good else f'exceeds {tolerance:.0e}'}")
    if not good:
        raise SystemExit(1)
