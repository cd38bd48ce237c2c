"""What only AMD's GPUs have; `libdevice` is here too, though its functions are the same on all targets."""

from __future__ import annotations

from ...ast.builder import current
from ...ast.values import tensor
from ...errors import TileTypeError
from ..elements import inline_asm_elementwise
from ..registry import builtin
from ..types import int64
from . import libdevice


@builtin
def memrealtime() -> tensor:
    """Ticks of a clock of constant speed, an int64."""
    options = current().options
    if options.target != "amd":
        raise TileTypeError(f"memrealtime: is for AMD's GPUs, and the kernel is compiled for '{options.target}'",
                            "ask tl.target_info.is_hip() first")
    if options.arch.startswith("gfx9"):
        code = "s_memrealtime $0\ns_waitcnt lgkmcnt(0)"
    else:
        code = "s_sendmsg_rtn_b64 $0, sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(0)"
    return inline_asm_elementwise(code, "=s", [], int64, False, 1)


@builtin
def num_warps() -> int:
    """Warps of a program, a constant."""
    return current().options.num_warps


@builtin
def num_threads() -> int:
    """Threads of a program, a constant."""
    options = current().options
    return (64 if options.arch.startswith("gfx9") else 32) * options.num_warps


__all__ = ["libdevice", "memrealtime", "num_threads", "num_warps"]
