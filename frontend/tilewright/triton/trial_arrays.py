"""Random arrays of every type, and arrays as kernels take them: what tests of kernels share.

Programs import it as `triton._internal_testing`, which adds the questions about the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.arrays import TensorWrapper, reinterpret
from tilewright.language.types import dtype as language_dtype
from tilewright.language.types import parse_type
from tilewright.triton.spellings import type_canonicalisation_dict

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["uint8", "uint16", "uint32", "uint64"]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = [*float_dtypes, "bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = [*dtypes, "bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes, "bfloat16"]
tma_dtypes = sorted({*dtypes_with_bfloat16} - {"int64", "uint64", "float64"})

# Codes of 8-bit floats that are ordinary numbers in every format.
_BYTE_FLOAT_CODES = (20, 40)
_SEED = 17


def numpy_random(shape: int | Sequence[int], dtype_str: str, rs: Any = None, low: int | None = None,
                 high: int | None = None) -> np.ndarray:
    """A random array; the same one for the same arguments, if no generator is given.

    Integers cover their type's range, or `low` to `high`, and are never 0, so that they can divide. bfloat16
    comes as float32 whose low half is 0, 8-bit floats as int8 codes.

    Raises:
        RuntimeError: If there is no such type.
    """
    rs = np.random.RandomState(_SEED) if rs is None else rs
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if dtype_str in integral_dtypes:
        limits = np.iinfo(dtype_str)
        low = limits.min if low is None else max(low, limits.min)
        high = limits.max if high is None else min(high, limits.max)
        drawn = rs.randint(low, high, shape, dtype=dtype_str)
        drawn[drawn == 0] = 1
        return drawn
    if dtype_str and "float8" in dtype_str:
        return rs.randint(*_BYTE_FLOAT_CODES, shape, dtype=np.int8)
    if dtype_str in float_dtypes:
        return rs.normal(0, 1, shape).astype(dtype_str)
    if dtype_str == "bfloat16":
        return (rs.normal(0, 1, shape).astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    if dtype_str in ("bool", "int1", "bool_"):
        return rs.normal(0, 1, shape) > 0
    raise RuntimeError(f"numpy_random: there is no type '{dtype_str}'")


def to_triton(x: np.ndarray, device: Any, dst_type: str | None = None) -> Any:
    """An array of numpy as a tensor of torch on a device.

    Args:
        x: The array.
        device: Where the tensor is to be.
        dst_type: The type that kernels shall see where numpy has none: "bfloat16" of float32 values, or a
            8-bit float of codes.
    """
    import torch

    kind = x.dtype.name
    if kind in uint_dtypes:  # torch has little for unsigned integers: signed ones that kernels read as unsigned
        return reinterpret(torch.tensor(x.view(kind[1:]), device=device), parse_type(kind))
    made = torch.tensor(x, device=device)
    if dst_type and "float8" in dst_type:
        return reinterpret(made, str_to_triton_dtype(dst_type))
    return made.bfloat16() if (kind, dst_type) == ("float32", "bfloat16") else made


def str_to_triton_dtype(x: str) -> language_dtype:
    """The type of a name such as "float16"."""
    found = parse_type(type_canonicalisation_dict[x])
    assert found is not None
    return found


def torch_dtype_name(dtype: Any) -> str:
    """The name of a type of this language or of torch, without the module.

    Raises:
        TypeError: If it is neither.
    """
    if isinstance(dtype, language_dtype):
        return dtype.name
    module, _, name = str(dtype).rpartition(".")
    if module != "torch":
        raise TypeError(f"expects a type of torch or of triton.language, got {type(dtype).__name__}")
    return name


def to_numpy(x: Any) -> np.ndarray:
    """A tensor, or one that is read as another type, as an array of numpy; bfloat16 as float32.

    Raises:
        ValueError: If it is neither.
    """
    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().view(torch_dtype_name(x.dtype))
    if not (hasattr(x, "cpu") and hasattr(x, "numpy")):
        raise ValueError(f"expects a tensor, got {type(x).__name__}")
    return (x.cpu().float() if str(x.dtype) == "torch.bfloat16" else x.cpu()).numpy()


def unwrap_tensor(t: Any) -> Any:
    """The tensor behind one that is read as another type."""
    return t.base if isinstance(t, TensorWrapper) else t
