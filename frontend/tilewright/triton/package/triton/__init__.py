"""Tilewright under Triton's name, for programs that were written for Triton."""

from __future__ import annotations

from typing import Any, NoReturn

import tilewright
from tilewright import (
    CompilationError,
    Config,
    JITFunction,
    OutOfResources,
    aggregate,
    autotune,
    cdiv,
    constexpr_function,
    heuristics,
    jit,
    must_use_result,
    next_power_of_2,
)
from tilewright.arrays import MockTensor, TensorWrapper, reinterpret
from tilewright.jit import KernelInterface
from tilewright.launching import AsyncCompileMode, FutureKernel
from tilewright.triton import aliases, environment
from tilewright.triton.modules import share_modules

environment.install()
aliases.install()
share_modules()

from tilewright import language as language  # noqa: E402 - after the names are shared

from . import backends as backends  # noqa: E402
from . import compiler as compiler  # noqa: E402
from . import errors as errors  # noqa: E402
from . import knobs as knobs  # noqa: E402
from . import runtime as runtime  # noqa: E402
from . import testing as testing  # noqa: E402
from . import tools as tools  # noqa: E402
from .compiler import compile  # noqa: E402
from .errors import InterpreterError, TritonError  # noqa: E402
from .runtime import set_allocator  # noqa: E402

__version__ = "3.9.0"

__all__ = ["AsyncCompileMode", "CompilationError", "Config", "FutureKernel", "InterpreterError", "JITFunction",
           "KernelInterface", "MockTensor", "OutOfResources", "TensorWrapper", "TritonError", "aggregate", "autotune",
           "cdiv", "compile", "compiler", "constexpr_function", "heuristics", "jit", "knobs", "language",
           "must_use_result", "next_power_of_2", "reinterpret", "runtime", "set_allocator", "testing", "tools"]


def __getattr__(name: str) -> Any:
    """Modules that few programs use are imported when asked for."""
    if name in ("profiler", "experimental"):
        from importlib import import_module

        return import_module(f"triton.{name}")
    _refuse(name)


def _refuse(name: str) -> NoReturn:
    raise AttributeError(f"triton.{name} is not offered by Tilewright {tilewright.__version__}, which runs this "
                         "program in Triton's place; run it with the real triton, or do without this name")
