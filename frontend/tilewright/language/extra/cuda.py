"""What only NVIDIA's GPUs have; `libdevice` is here too, though its functions are the same on all targets."""

from __future__ import annotations

from typing import Any

from ...ast.builder import current
from ...ast.values import tensor
from ...errors import TileTypeError
from ..elements import inline_asm_elementwise
from ..registry import builtin
from ..target_info import current_target
from ..types import int32, int64
from . import libdevice

_LANES = 32


def _require_target(name: str) -> None:
    target = current().options.target
    if target != "nvidia":
        raise TileTypeError(f"{name}: is for NVIDIA's GPUs, and the kernel is compiled for '{target}'",
                            "ask tl.target_info.is_cuda() first")


def _read(name: str, code: str, constraint: str, dtype: Any) -> tensor:
    _require_target(name)
    return inline_asm_elementwise(code, constraint, [], dtype, False, 1)


@builtin
def globaltimer() -> tensor:
    """Nanoseconds of a clock that all processors of the GPU share, an int64."""
    return _read("globaltimer", "mov.u64 $0, %globaltimer;", "=l", int64)


@builtin
def smid() -> tensor:
    """The number of the processor that runs the program, an int32."""
    return _read("smid", "mov.u32 $0, %smid;", "=r", int32)


@builtin
def num_warps() -> int:
    """Warps of a program, a constant."""
    return current().options.num_warps


@builtin
def num_threads() -> int:
    """Threads of a program, a constant."""
    return _LANES * current().options.num_warps


def _has_dependent_launches() -> bool:
    target = current_target()
    return target.backend == "cuda" and target.arch >= 90


@builtin
def gdc_wait() -> None:
    """Wait for the kernel before this one on its stream, where ``launch_pdl=True`` let this one begin early.

    Elsewhere kernels run one after another, and there is nothing to wait for.
    """
    if _has_dependent_launches():
        _read("gdc_wait", "griddepcontrol.wait; mov.u32 $0, 0;", "=r,~{memory}", int32)


@builtin
def gdc_launch_dependents() -> None:
    """Let the next kernel on the stream begin, if it was launched with ``launch_pdl=True``."""
    if _has_dependent_launches():
        _read("gdc_launch_dependents", "griddepcontrol.launch_dependents; mov.u32 $0, 0;", "=r,~{memory}", int32)


__all__ = ["gdc_launch_dependents", "gdc_wait", "globaltimer", "libdevice", "num_threads", "num_warps", "smid"]
