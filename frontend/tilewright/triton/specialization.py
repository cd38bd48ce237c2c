"""What an argument's value decides about the code, in Triton's spelling."""

from __future__ import annotations

from typing import Any

from tilewright.ast.constants import constexpr
from tilewright.jit import ConstexprFunction, JITFunction
from tilewright.runtime.dtypes import classify
from tilewright.tools.tensor_descriptor import TensorDescriptor

_ALIGNMENT = 16


def specialize(value: Any, is_const: bool = False, specialize_value: bool = True, align: bool = True) -> tuple:
    """The type of an argument and its key: "D" where it is divisible by 16, the value of a constant.

    Raises:
        TypeError: If kernels take no such argument.
    """
    if value is None or isinstance(value, (constexpr, JITFunction, ConstexprFunction)):
        return ("constexpr", value.value if isinstance(value, constexpr) else value)
    if isinstance(value, bool):
        return ("u1", None)
    if isinstance(value, int):
        return _specialize_integer(value, specialize_value, align)
    if isinstance(value, float):
        return ("fp32", None)
    if isinstance(value, tuple):
        parts = [specialize(item, is_const, specialize_value, align) for item in value]
        return (tuple(kind for kind, _ in parts), tuple(key for _, key in parts))
    if isinstance(value, TensorDescriptor):
        return (value.type.short, None)
    if hasattr(value, "data_ptr"):
        divisible = align and value.data_ptr() % _ALIGNMENT == 0
        return (f"*{'k' if is_const else ''}{classify(value.dtype)}", "D" if divisible else "")
    raise TypeError(f"kernels take no argument of type {type(value).__name__}")


def _specialize_integer(value: int, specialize_value: bool, align: bool) -> tuple:
    if value == 1 and specialize_value:
        return ("constexpr", 1)
    for kind, low, high in (("i32", -2**31, 2**31), ("i64", -2**63, 2**63), ("u64", 0, 2**64)):
        if low <= value < high:
            return (kind, "D" if align and value % _ALIGNMENT == 0 else "")
    raise OverflowError(f"{value} does not fit in 64 bits")
