"""Names of the types that instructions compute in, and conversions between small formats.

bf16 values are carried as float32 arrays; numpy has no type for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MASK32 = 0xFFFFFFFF
MASK64 = 0xFFFFFFFFFFFFFFFF

DTYPES: dict[str, Any] = {
    "u16": np.uint16,
    "i16": np.int16,
    "f16": np.float16,
    "bf16": np.float32,
    "u32": np.uint32,
    "i32": np.int32,
    "f32": np.float32,
    "u64": np.uint64,
    "i64": np.int64,
    "f64": np.float64,
}
"""Type in an instruction's name -> numpy type of its values."""

BYTES = {name: int(name.lstrip("buif")) // 8 for name in DTYPES}
"""Bytes of a value in a register."""

FLOATS = ("f16", "f32", "f64")


def unsigned(dtype: str) -> Any:
    """The unsigned numpy type as wide as ``dtype`` in a register."""
    return {2: np.uint16, 4: np.uint32, 8: np.uint64}[BYTES[dtype]]


def type_of_suffix(suffix: str) -> str:
    """The type meant by the end of a mnemonic, where ``b32`` stands for raw bits."""
    return suffix.replace("b", "u") if suffix in ("b16", "b32", "b64") else suffix


def sign_extend(value: int, bits: int) -> int:
    """``value``, ``bits`` wide, as a signed integer."""
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def bf16_to_f32(bits: Any) -> Any:
    """The f32 values of bf16 bits."""
    return (np.asarray(bits, np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)


def f32_to_bf16(value: Any) -> Any:
    """Bits of ``value`` rounded to nearest even; NaNs stay NaNs."""
    value = np.asarray(value, np.float32)
    bits = value.view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = ((bits + np.uint32(0x7FFF) + odd) >> np.uint32(16)).astype(np.uint16)
    quiet = ((bits >> np.uint32(16)) | np.uint32(0x40)).astype(np.uint16)
    return np.where(np.isnan(value), quiet, rounded)


def _fp8_value(code: int, exponent_bits: int, fnuz: bool) -> float:
    mantissa_bits = 7 - exponent_bits
    bias = (1 << (exponent_bits - 1)) - 1 + fnuz
    exponent = code >> mantissa_bits & ((1 << exponent_bits) - 1)
    mantissa = code & ((1 << mantissa_bits) - 1)
    if fnuz and code == 0x80:
        return np.nan
    if not fnuz and exponent_bits == 4 and code & 0x7F == 0x7F:
        return np.nan
    if not fnuz and exponent_bits == 5 and exponent == 31:
        return np.nan if mantissa else (-np.inf if code >> 7 else np.inf)
    scale = 2.0 ** (max(exponent, 1) - bias - mantissa_bits)
    magnitude = (mantissa + ((1 << mantissa_bits) if exponent else 0)) * scale
    return -magnitude if code >> 7 else magnitude


FP8_VALUES: dict[tuple[str, bool], Any] = {
    (name, fnuz): np.array([_fp8_value(c, bits, fnuz) for c in range(256)], np.float32)
    for name, bits in (("fp8", 4), ("bf8", 5))
    for fnuz in (False, True)
}
"""(fp8 is e4m3, bf8 is e5m2; whether the variant without negative zero) -> value of each code."""


def encode_fp8(value: Any, name: str, fnuz: bool) -> Any:
    """Codes of ``value`` rounded to nearest even; what overflows becomes infinity or NaN."""
    value = np.asarray(value, np.float64)
    table = FP8_VALUES[name, fnuz][:128].astype(np.float64)
    table = table[np.isfinite(table)]  # ascending: the code is the index
    last = len(table) - 1
    magnitude = np.abs(value)
    upper = np.clip(np.searchsorted(table, magnitude), 1, last)
    lower = upper - 1
    below, above = magnitude - table[lower], table[upper] - magnitude
    code = np.where((below < above) | ((below == above) & (lower % 2 == 0)), lower, upper)
    middle = table[-1] + (table[-1] - table[-2]) / 2
    overflow = (magnitude > middle) | ((magnitude == middle) & (last % 2 == 1))
    nan = 0x80 if fnuz else 0x7F if name == "fp8" else 0x7E
    code = np.where(overflow, nan if fnuz or name == "fp8" else 0x7C, code)
    keeps_sign = (code != 0) & (code != 0x80) if fnuz else True
    code = np.where(np.signbit(value) & keeps_sign, code | 0x80, code)
    return np.where(np.isnan(value), nan, code).astype(np.uint8)
