"""Devices: what programs ask of the one that kernels run on."""

from __future__ import annotations

from typing import Any

from tilewright.triton.devices import Benchmarker as Benchmarker
from tilewright.triton.devices import CpuDriver as CpuDriver
from tilewright.triton.devices import CudaDriver as CudaDriver
from tilewright.triton.devices import DriverBase as DriverBase
from tilewright.triton.devices import HipDriver as HipDriver

GPUDriver = DriverBase


def expand_signature(signature: Any, *args: Any) -> Any:
    """Types of the arguments that are passed, tuples taken apart."""
    flat: list[Any] = []
    for kind in signature:
        flat += expand_signature(kind) if isinstance(kind, tuple) else [kind]
    return flat
