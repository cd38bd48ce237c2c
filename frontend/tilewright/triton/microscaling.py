"""Numbers of the microscaling formats: 4-bit floats (E2M1) and scales that are powers of two (E8M0)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

#: The magnitudes of E2M1 by their three low bits.
_MAGNITUDES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
_SIGN = 8
_BIAS = 127
_NAN = 255
_SMALLEST, _LARGEST = 2.0**-127, 2.0**127


def encode_e2m1(values: np.ndarray) -> np.ndarray:
    """Nearest numbers of E2M1, ties to even, beyond the largest the largest; one a byte.

    Raises:
        ValueError: If there is a NaN, which the format has not.
    """
    values = values.astype(np.float32)
    if np.isnan(values).any():
        raise ValueError("a 4-bit float cannot be NaN")
    middles = (_MAGNITUDES[:-1] + _MAGNITUDES[1:]) / 2
    magnitude = np.abs(values)
    code = np.searchsorted(middles, magnitude, side="left")
    # At a middle `left` gives the lower code: go up where that one is odd.
    at_middle = (code < len(middles)) & (magnitude == middles[np.minimum(code, len(middles) - 1)])
    code = code + (at_middle & (code % 2 == 1))
    return (code | np.where(np.signbit(values), _SIGN, 0)).astype(np.uint8)


def decode_e2m1(codes: np.ndarray) -> np.ndarray:
    """The values of numbers of E2M1."""
    values = _MAGNITUDES[codes & 7]
    return np.where(codes & _SIGN, -values, values).astype(np.float32)


def random_e2m1(shape: Sequence[int]) -> np.ndarray:
    """Random numbers of E2M1."""
    return np.random.randint(0, 16, tuple(shape)).astype(np.uint8)


def pack(codes: np.ndarray, dim: int) -> np.ndarray:
    """Two neighbours along a dimension in each byte, the first in the low bits; an odd one out gets a zero."""
    codes = np.moveaxis(codes, dim, -1)
    if codes.shape[-1] % 2:
        codes = np.concatenate([codes, np.zeros((*codes.shape[:-1], 1), np.uint8)], -1)
    return np.ascontiguousarray(np.moveaxis(codes[..., ::2] | codes[..., 1::2] << 4, -1, dim))


def unpack(packed: np.ndarray, dim: int, size: int) -> np.ndarray:
    """One number a byte again; of the last byte only what belongs to the size."""
    packed = np.moveaxis(packed, dim, -1)
    codes = np.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:-1], -1)[..., :size]
    return np.ascontiguousarray(np.moveaxis(codes, -1, dim))


def encode_e8m0(values: np.ndarray) -> np.ndarray:
    """The powers of two not above positive values, by their exponents; NaN is 255."""
    values = values.astype(np.float64)
    safe = np.where(np.isnan(values), 1.0, np.clip(values, _SMALLEST, _LARGEST))
    exponent = np.frexp(safe)[1] - 1 + _BIAS
    return np.where(np.isnan(values), _NAN, exponent).astype(np.uint8)


def decode_e8m0(codes: np.ndarray) -> np.ndarray:
    """The values of scales."""
    exponents = np.where(codes == _NAN, 0, codes.astype(np.int32) - _BIAS)
    return np.where(codes == _NAN, np.float32(np.nan), np.ldexp(1.0, exponents).astype(np.float32))


def random_e8m0(shape: Sequence[int], low: float | None = None, high: float | None = None) -> np.ndarray:
    """Random scales, between two powers of two if given."""
    first = 0 if low is None else int(encode_e8m0(np.array(low)))
    last = _NAN - 1 if high is None else int(encode_e8m0(np.array(high)))
    return np.random.randint(first, last + 1, tuple(shape)).astype(np.uint8)


# --- arrays of either library -----------------------------------------------------------------------------
def to_numpy(data: Any) -> np.ndarray:
    """A tensor's contents; what numpy has no type for becomes float32."""
    if isinstance(data, np.ndarray):
        return data
    data = data.detach().cpu()
    return (data.float() if data.is_floating_point() else data).numpy()


def like(model: Any, array: np.ndarray) -> Any:
    """An array of the library, and on the device, of another one."""
    return array if isinstance(model, np.ndarray) else on_device(array, model.device)


def on_device(array: np.ndarray, device: Any) -> Any:
    """A tensor on a device of torch; without one the array itself."""
    if device is None:
        return array
    import torch

    return torch.from_numpy(array).to(device)


def require_float32(dtype: Any) -> None:
    """Raise ValueError unless a type is float32, of numpy or torch."""
    if str(dtype).rpartition(".")[2].removesuffix("'>") != "float32":
        raise ValueError(f"values of microscaling formats are read as float32, not as {dtype}")
