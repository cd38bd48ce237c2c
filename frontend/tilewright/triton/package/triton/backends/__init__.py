"""What kernels can be compiled for."""

from __future__ import annotations

from dataclasses import dataclass

from .compiler import BaseBackend
from .driver import CpuDriver, CudaDriver, DriverBase, HipDriver


@dataclass(frozen=True)
class Backend:
    """A compiler and a driver."""

    compiler: type[BaseBackend]
    driver: type[DriverBase]


backends: dict[str, Backend] = {
    "nvidia": Backend(BaseBackend, CudaDriver), "amd": Backend(BaseBackend, HipDriver),
    "cpu": Backend(BaseBackend, CpuDriver)}
