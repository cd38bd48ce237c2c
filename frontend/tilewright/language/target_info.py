"""The target that a kernel is compiled for, as a constant that an `if` may ask for.

Outside of kernels the answers are about the device that kernels run on by default.
"""

from __future__ import annotations

from typing import Any

from ..ast import builder
from .registry import builtin


@builtin
def current_target() -> Any:
    """The target: `backend` is "cuda", "hip" or "cpu", `arch` such as 90, "gfx942" or "host"."""
    from ..triton import targets

    current = builder.find()
    if current is None or not current.options.target:
        return targets.current()
    return targets.from_name(f"{current.options.target}:{current.options.arch}")


@builtin
def is_cuda() -> bool:
    """Whether the target is an NVIDIA GPU."""
    return current_target().backend == "cuda"


@builtin
def is_hip() -> bool:
    """Whether the target is an AMD GPU."""
    return current_target().backend == "hip"


@builtin
def is_cpu() -> bool:
    """Whether the target is the CPU."""
    return current_target().backend == "cpu"


@builtin
def cuda_capability_geq(major: int, minor: int = 0) -> bool:
    """Whether the target is an NVIDIA GPU of at least this compute capability."""
    target = current_target()
    return target.backend == "cuda" and target.arch >= int(major) * 10 + int(minor)


def _is_arch(*names: str) -> Any:
    def function() -> bool:
        target = current_target()
        return target.backend == "hip" and str(target.arch) in names

    function.__doc__ = f"Whether the target is {' or '.join(names)}."
    return function


is_hip_cdna1 = builtin(_is_arch("gfx908"))
is_hip_cdna2 = builtin(_is_arch("gfx90a"))
is_hip_cdna3 = builtin(_is_arch("gfx942"))
is_hip_cdna4 = builtin(_is_arch("gfx950"))
is_hip_rdna3 = builtin(_is_arch("gfx1100"))
is_hip_rdna4 = builtin(_is_arch("gfx1200", "gfx1201"))
is_hip_gfx1250 = builtin(_is_arch("gfx1250"))
for _name in [name for name in globals() if name.startswith("is_hip_")]:
    globals()[_name].__name__ = _name
