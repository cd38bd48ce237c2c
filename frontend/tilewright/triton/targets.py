"""Targets under Triton's names for them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from tilewright.errors import TargetError, list_names

#: Architectures whose code runs on one GPU alone, by their number in Triton.
_EXACT = {90: "sm_90a", 100: "sm_100a", 120: "sm_120a"}
_FORWARD = {80: "sm_80", 86: "sm_86", 89: "sm_89"}


@dataclass(frozen=True)
class GPUTarget:
    """What a kernel is compiled for.

    Attributes:
        backend: "cuda", "hip" or "cpu".
        arch: 90 for compute capability 9.0, or a name such as "gfx942" or "host".
        warp_size: Lanes of a warp; 1 on the CPU, where a program is one thread.
    """

    backend: str
    arch: int | str
    warp_size: int


def from_name(name: str) -> GPUTarget:
    """Triton's target for one of ours, such as "nvidia:sm_90a"."""
    vendor, _, arch = name.partition(":")
    if vendor == "nvidia":
        return GPUTarget("cuda", int("".join(filter(str.isdigit, arch.partition("_")[2])) or 90), 32)
    if vendor == "amd":
        return GPUTarget("hip", arch or "gfx942", 64 if arch.startswith("gfx9") else 32)
    return GPUTarget(vendor, arch or "host", 1)


def to_name(target: Any) -> str:
    """Our name of one of Triton's targets; a name passes as it is.

    Raises:
        TargetError: If there is none.
    """
    if isinstance(target, str):
        return target
    if target.backend == "cuda":
        return f"nvidia:{_architecture_of(int(target.arch))}"
    if target.backend == "hip":
        return f"amd:{target.arch}"
    if target.backend == "cpu":
        return "cpu" if target.arch in ("host", "", 0, None) else f"cpu:{target.arch}"
    raise TargetError(f"there is no target '{target.backend}'", "this build has cuda, hip and cpu")


def _architecture_of(number: int) -> str:
    """The best architecture that runs on a GPU of this compute capability."""
    if number in _EXACT:
        return _EXACT[number]
    older = [known for known in _FORWARD if known <= number and known // 10 == number // 10]
    if not older:
        raise TargetError(f"there is no code for compute capability {number / 10:.1f}",
                          f"there is for {list_names(str(known / 10) for known in sorted({**_FORWARD, **_EXACT}))}")
    return _FORWARD[max(older)]


def current() -> GPUTarget:
    """The target that arrays are on by default: the GPU that torch can use, else the CPU."""
    from tilewright.runtime import gpu

    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        if getattr(torch.version, "hip", None):
            arch = torch.cuda.get_device_properties(torch.cuda.current_device()).gcnArchName.split(":")[0]
            return from_name(f"amd:{arch}")
        major, minor = torch.cuda.get_device_capability()
        return GPUTarget("cuda", major * 10 + minor, 32)
    if gpu.is_in_use():
        from tilewright.runtime.nvidia import Device

        major, minor = Device.get(0).properties.capability
        return GPUTarget("cuda", major * 10 + minor, 32)
    return GPUTarget("cpu", "host", 1)
