"""Kernels on NVIDIA GPUs; imports anywhere, and needs a driver only when something is to run."""

from __future__ import annotations

from tilewright.runtime.nvidia.assembler import Assembly, assemble, assemble_with_log, describe_assembler
from tilewright.runtime.nvidia.device import Device, Properties, target_of
from tilewright.runtime.nvidia.driver import missing_driver
from tilewright.runtime.nvidia.loader import load

__all__ = ["Assembly", "Device", "Properties", "assemble", "assemble_with_log", "describe_assembler", "load",
           "missing_driver", "target_of"]
