"""Integer and bit operations of the vector unit, over all lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_u32, _u64, _i64 = np.uint32, np.uint64, np.int64


def _bit_length(value: Any) -> Any:
    # An f64 holds every 32-bit integer, so frexp's exponent is its length in bits.
    return np.frexp(np.asarray(value, np.float64))[1]


def leading_zeros(value: Any) -> Any:
    """Zeros above the highest set bit of u32; -1 when there is none."""
    length = _bit_length(value)
    return np.where(length == 0, -1, 32 - length).astype(np.int32)


def leading_sign_bits(value: Any) -> Any:
    """Bits above the highest one that differs from the sign; -1 when there is none."""
    value = np.asarray(value, np.int32)
    return leading_zeros(np.where(value < 0, ~value, value).astype(_u32))


def trailing_zeros(value: Any) -> Any:
    """Zeros below the lowest set bit; -1 when there is none."""
    value = np.asarray(value, _i64)
    return (_bit_length(value & -value) - 1).astype(np.int32)


def population_count(value: Any) -> Any:
    """Number of set bits of u32."""
    return np.bitwise_count(np.asarray(value, _u32)).astype(_u32)


def reverse_bits(value: Any) -> Any:
    """The bits of u32 in reverse order."""
    value = np.atleast_1d(np.asarray(value, _u32))
    bits = np.unpackbits(value.astype(">u4").view(np.uint8).reshape(-1, 4), axis=1)
    return np.packbits(bits[:, ::-1], axis=1).copy().view(">u4").ravel().astype(_u32)


def permute_bytes(high: Any, low: Any, selector: Any) -> Any:
    """v_perm: each byte of the selector picks a byte of high:low, a sign, 0x00 or 0xff."""
    high, low, selector = np.broadcast_arrays(
        *(np.atleast_1d(np.asarray(x, _u32)) for x in (high, low, selector))
    )
    data = (high.astype(_u64) << _u64(32)) | low
    result = np.zeros(data.shape, _u64)
    for position in range(4):
        code = ((selector >> _u32(8 * position)) & _u32(255)).astype(_u64)
        byte = (data >> (np.minimum(code, _u64(7)) * _u64(8))) & _u64(255)
        signed_word = np.clip(code, _u64(8), _u64(11)) - _u64(8)
        sign = (data >> (signed_word * _u64(16) + _u64(15))) & _u64(1)
        special = np.where(code >= 13, _u64(255), np.where(code == 12, _u64(0), sign * _u64(255)))
        result |= np.where(code < 8, byte, special) << _u64(8 * position)
    return result.astype(_u32)


def multiply_high(dtype: Any, wide: Any) -> Callable[[Any, Any], Any]:
    """A function that gives the upper half of a product of 32-bit integers."""
    return lambda a, b: ((np.asarray(a, wide) * np.asarray(b, wide)) >> wide(32)).astype(dtype)


def unsigned24(value: Any) -> Any:
    """The low 24 bits, zero-extended."""
    return np.asarray(value, _u32).astype(_u64) & _u64(0xFFFFFF)


def signed24(value: Any) -> Any:
    """The low 24 bits, sign-extended."""
    return ((np.asarray(value, np.int32) << 8) >> 8).astype(_i64)


def extract_unsigned(value: Any, offset: Any, width: Any) -> Any:
    """v_bfe_u32: a field of bits, zero-extended."""
    mask = (_u32(1) << (width & _u32(31))) - _u32(1)
    return (value >> (offset & _u32(31))) & mask


def extract_signed(value: Any, offset: Any, width: Any) -> Any:
    """v_bfe_i32: a field of bits, sign-extended."""
    width = np.asarray(width & _u32(31), _i64)
    shifted = np.asarray(value, _i64) >> np.asarray(offset & _u32(31), _i64)
    unused = np.where(width == 0, 63, 64 - width)
    return np.where(width == 0, 0, (shifted << unused) >> unused).astype(np.int32)


def align(unit: int, mask: int) -> Callable[[Any, Any, Any], Any]:
    """v_alignbit and v_alignbyte: 32 bits out of high:low."""

    def compute(high: Any, low: Any, amount: Any) -> Any:
        data = (np.asarray(high, _u64) << _u64(32)) | np.asarray(low, _u64)
        shift = (np.asarray(amount, _u64) & _u64(mask)) * _u64(unit)
        return (data >> shift).astype(_u32)

    return compute


def bit_operation(a: Any, b: Any, c: Any, truth_table: int) -> Any:
    """v_bitop3: any function of three bits, given by its truth table."""
    result = a & a.dtype.type(0)
    for row in range(8):
        if truth_table >> row & 1:
            term = (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
            result = result | term
    return result


def median(a: Any, b: Any, c: Any) -> Any:
    """The middle one of three."""
    return np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
