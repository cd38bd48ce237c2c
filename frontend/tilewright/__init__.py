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

from . import language
from .compile import CompiledKernel, compile, targets
from .errors import CompilationError, OutOfResources, TilewrightError
from .jit import ConstexprFunction, JITFunction, constexpr_function, jit

__version__ = "0.1.0"


@constexpr_function
def cdiv(x: int, y: int) -> int:
    """``x / y`` rounded up."""
    return -(-x // y)


@constexpr_function
def next_power_of_2(n: int) -> int:
    """The smallest power of two that is not smaller than ``n``."""
    return 1 if n <= 1 else 1 << (n - 1).bit_length()


__all__ = ["CompilationError", "CompiledKernel", "ConstexprFunction", "JITFunction", "OutOfResources",
           "TilewrightError", "cdiv", "compile", "constexpr_function", "jit", "language", "next_power_of_2",
           "targets"]
