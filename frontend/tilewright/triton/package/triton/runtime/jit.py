"""Functions that are compiled, and arrays that stand for others."""

from __future__ import annotations

from typing import Any, TypeVar

from tilewright.arrays import MockTensor as MockTensor
from tilewright.arrays import TensorWrapper as TensorWrapper
from tilewright.arrays import reinterpret as reinterpret
from tilewright.hooks import JitFunctionInfo as JitFunctionInfo
from tilewright.jit import ConstexprFunction as ConstexprFunction
from tilewright.jit import JITFunction as JITFunction
from tilewright.jit import KernelInterface as KernelInterface
from tilewright.jit import KernelParam as KernelParam
from tilewright.jit import constexpr_function as constexpr_function
from tilewright.jit import jit as jit
from tilewright.triton.spellings import type_canonicalisation_dict as type_canonicalisation_dict

T = TypeVar("T")
JITCallable = JITFunction


def mangle_type(value: Any, specialize: bool = False) -> str:
    """The type of an argument as a signature spells it."""
    from tilewright.triton.specialization import specialize as describe

    return describe(value, specialize_value=specialize)[0]


def get_jit_fn_file_line(fn: Any) -> tuple[str, int]:
    """File and line of a function, below all wrappers."""
    base = fn
    while not isinstance(base, JITFunction):
        base = base.fn
    return base.source.file, base.source.first_line
