"""Names of element types in signatures, from the dtype objects of many libraries."""

from __future__ import annotations

import sys
from typing import Any

#: By the name that numpy, torch, ml_dtypes and jax share.
_NAMES = {
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64",
    "float8_e5m2": "fp8e5", "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2fnuz": "fp8e5b16", "float8_e4m3fnuz": "fp8e4b8",
}
_OWN_NAMES = {*_NAMES.values(), "fp8e4b15"}


def classify(dtype: Any) -> str:
    """The name of a dtype in signatures: "fp32" for numpy's or torch's float32.

    Raises:
        TypeError: If kernels do not know the type. The text lacks the argument's name, which the
            launcher puts before it.
    """
    order = getattr(dtype, "byteorder", "=")
    if order in "<>" and order != ("<" if sys.byteorder == "little" else ">"):
        raise TypeError(f"has byte-swapped elements ({dtype}); pass array.astype(array.dtype.newbyteorder('='))")
    # torch.float32 prints with its module; the language's own types print as signatures spell them.
    text = getattr(dtype, "name", None) or str(dtype)
    text = text.rpartition(".")[2]
    name = _NAMES.get(text) or (text if text in _OWN_NAMES else None)
    if name is None:
        raise TypeError(f"has elements of type {dtype}, which kernels do not know")
    return name
