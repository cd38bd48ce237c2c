"""Functions under libdevice's names, computed by Tilewright itself on every target.

They take floats of any width, and blocks or scalars alike. What is exact, and how large errors are
otherwise, is in `docs/numerics.md`. fp16 and bf16 are computed in fp32 or fp64.
"""

from __future__ import annotations

from ...math import abs, ceil, cos, erf, exp, exp2, floor, fma, log, log2, rsqrt, sin, sqrt
from . import bessel, bits, classes, elementary, error_functions, gamma, rounding

__all__ = ["abs", "ceil", "cos", "erf", "exp", "exp2", "floor", "fma", "log", "log2", "rsqrt", "sin", "sqrt"]
for _module in (bessel, bits, classes, elementary, error_functions, gamma, rounding):
    for _function in _module.FUNCTIONS:
        globals()[_function.__name__] = _function
        __all__.append(_function.__name__)
