"""Kernels on NVIDIA GPUs; imports anywhere, and needs a driver only when something is to run."""

from __future__ import annotations

from tilewright.runtime.nvidia.advice import Advice, find_places
from tilewright.runtime.nvidia.assembler import Assembly, assemble, assemble_with_log, describe_assembler
from tilewright.runtime.nvidia.device import Device, Properties, target_of
from tilewright.runtime.nvidia.driver import missing_driver
from tilewright.runtime.nvidia.loader import load

#: Options of a compilation that have an effect here, beyond those that all targets have.
OPTIONS = frozenset({"launch_cooperative_grid", "launch_pdl", "maxnreg", "ptx_options"})

__all__ = ["OPTIONS", "Advice", "Assembly", "Device", "Properties", "assemble", "assemble_with_log",
           "describe_assembler", "find_places", "load", "missing_driver", "target_of"]
