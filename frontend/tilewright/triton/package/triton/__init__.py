"""Tilewright under Triton's name, for programs that were written for Triton."""

from __future__ import annotations

import sys
from typing import NoReturn

import tilewright
from tilewright import (
    CompilationError,
    Config,
    JITFunction,
    OutOfResources,
    autotune,
    cdiv,
    constexpr_function,
    heuristics,
    jit,
    next_power_of_2,
)
from tilewright import language as language
from tilewright import testing as testing

from . import runtime as runtime

__version__ = "3.9.0"
TritonError = tilewright.TilewrightError

# The same module objects under both names: a kernel may mix them.
for _name in [name for name in sys.modules if name.startswith("tilewright.language")]:
    sys.modules["triton.language" + _name.removeprefix("tilewright.language")] = sys.modules[_name]
sys.modules["triton.testing"] = testing

__all__ = ["CompilationError", "Config", "JITFunction", "OutOfResources", "TritonError", "autotune", "cdiv",
           "constexpr_function", "heuristics", "jit", "language", "next_power_of_2", "runtime", "testing"]


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(f"triton.{name} is not offered by Tilewright {tilewright.__version__}, which runs this "
                         "program in Triton's place; run it with the real triton, or do without this name")
