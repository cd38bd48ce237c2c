"""GPUs of whatever vendor, for what is not a launch: which arrays are there, its name, its clock."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any


def is_array(value: Any) -> bool:
    """Whether an argument is an array on a GPU."""
    return hasattr(value, "__cuda_array_interface__") or str(getattr(value, "device", "")).startswith("cuda")


def is_in_use() -> bool:
    """Whether this process works on a GPU: torch can, or a kernel has been loaded there."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return True
    devices = sys.modules.get("tilewright.runtime.nvidia.device")
    return devices is not None and devices.Device.get.cache_info().currsize > 0


def make_clock() -> Any:
    """Times what is put on the current stream of the current GPU."""
    from tilewright.runtime.nvidia.clock import Clock

    return Clock()


def describe_device(values: Iterable[Any]) -> str:
    """The name of the GPU that the first array of the arguments is on."""
    from tilewright.runtime.nvidia import Device

    devices = (str(getattr(value, "device", "")) for value in values)
    index = next((text.partition(":")[2] for text in devices if text.startswith("cuda:")), "0")
    return Device.get(int(index)).properties.name
