"""Tilewright: a multi-target compiler for tile kernels.

    import tilewright as tw
    import tilewright.language as tl

    @tw.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        m = i < n
        tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)

    add[(tw.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
"""

from typing import Any

from . import language
from .ast.aggregates import aggregate
from .autotune import Autotuner, Config, Heuristics, autotune, heuristics
from .compile import CompiledKernel, compile, targets
from .errors import CompilationError, OutOfResources, TilewrightError
from .jit import ConstexprFunction, JITFunction, constexpr_function, jit, must_use_result
from .language import core as _core  # noqa: F401 - tl.core, which needs what is above
from .language import semantic as _semantic  # noqa: F401
from .language import target_info as _target_info  # noqa: F401

__version__ = "0.1.0"


@constexpr_function
def cdiv(x: int, y: int) -> int:
    """``x / y`` rounded up."""
    # The division of values of a program truncates, so that the sign cannot be turned around twice.
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n: int) -> int:
    """The smallest power of two that is not smaller than ``n``; 0 for numbers that are not positive."""
    return 1 << (n - 1).bit_length() if n > 0 else 0


def __getattr__(name: str) -> Any:
    """`testing` needs numpy, which a program may do without."""
    if name == "testing":
        from importlib import import_module

        return import_module("tilewright.testing")
    raise AttributeError(f"module 'tilewright' has no attribute '{name}'")


__all__ = ["Autotuner", "CompilationError", "CompiledKernel", "Config", "ConstexprFunction", "Heuristics",
           "JITFunction", "OutOfResources", "TilewrightError", "aggregate", "autotune", "cdiv", "compile",
           "constexpr_function", "heuristics", "jit", "language", "must_use_result", "next_power_of_2", "targets"]
