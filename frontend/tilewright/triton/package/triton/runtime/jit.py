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

T = TypeVar("T")
JITCallable = JITFunction

#: Names of types as a signature spells them, by other spellings.
type_canonicalisation_dict = {
    "bool": "u1", "int1": "u1", "uint1": "u1", "i1": "u1", "float8e4nv": "fp8e4nv", "float8e5": "fp8e5",
    "float8e4b15": "fp8e4b15", "float8_e4m3fn": "fp8e4nv", "float8e4b8": "fp8e4b8", "float8_e4m3fnuz": "fp8e4b8",
    "float8_e5m2": "fp8e5", "float8e5b16": "fp8e5b16", "float8_e5m2fnuz": "fp8e5b16", "half": "fp16",
    "float16": "fp16", "bfloat16": "bf16", "float": "fp32", "float32": "fp32", "double": "fp64", "float64": "fp64",
    "int8": "i8", "int16": "i16", "int": "i32", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64", "void": "void"}
for _spelling in list(type_canonicalisation_dict.values()):
    type_canonicalisation_dict[_spelling] = _spelling


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
