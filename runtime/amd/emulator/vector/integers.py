"""Elementwise vector instructions on integers and bits."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..values import integer_functions as integers
from ..values.numeric import BYTES, DTYPES
from .table import Table, in_sequence, one_after

TABLE = Table()


def _shift(function: Callable[[Any, Any], Any], dtype: str) -> Callable[[Any, Any], Any]:
    """A reversed shift: the amount comes first, and counts modulo the width."""
    kind, mask = DTYPES[dtype], 8 * BYTES[dtype] - 1
    return lambda amount, value: function(value, np.asarray(amount).astype(kind) & kind(mask))


def _define_shifts() -> None:
    for bits in (16, 32, 64):
        amount = "u16" if bits == 16 else "u32"
        left, right = operator.lshift, operator.rshift
        for names, dtype, function in (
            (f"v_lshlrev_b{bits}", f"u{bits}", left),
            (f"v_lshrrev_b{bits}", f"u{bits}", right),
            (f"v_ashrrev_i{bits}", f"i{bits}", right),
        ):
            TABLE.define(names, dtype, f"{amount} {dtype}", _shift(function, dtype))


def _define_arithmetic() -> None:
    define = TABLE.define
    add, sub, mul = operator.add, operator.sub, operator.mul
    define("v_add_u32 v_add_nc_u32", "u32", "u32 u32", add)
    define("v_sub_u32 v_sub_nc_u32", "u32", "u32 u32", sub)
    define("v_subrev_u32 v_subrev_nc_u32", "u32", "u32 u32", lambda a, b: b - a)
    define("v_add_i32 v_add_nc_i32", "i32", "i32 i32", add)
    define("v_sub_i32 v_sub_nc_i32", "i32", "i32 i32", sub)
    define("v_add_nc_u64", "u64", "u64 u64", add)
    define("v_sub_nc_u64", "u64", "u64 u64", sub)
    define("v_mul_lo_u32 v_mul_lo_i32", "u32", "u32 u32", mul)
    define("v_mul_hi_u32", "u32", "u32 u32", integers.multiply_high(np.uint32, np.uint64))
    define("v_mul_hi_i32", "i32", "i32 i32", integers.multiply_high(np.int32, np.int64))
    define("v_mad_u32_u16", "u32", "u16 u16 u32", _multiply_add(np.uint32))
    define("v_mad_i32_i16", "i32", "i16 i16 i32", _multiply_add(np.int32))
    distance = lambda a, b, c: np.where(a > b, a - b, b - a) + c  # noqa: E731
    define("v_sad_u32", "u32", "u32 u32 u32", distance)
    for t in ("u16", "i16"):
        define(f"v_add_{t} v_add_nc_{t}", t, f"{t} {t}", add)
        define(f"v_sub_{t} v_sub_nc_{t}", t, f"{t} {t}", sub)
        define(f"v_subrev_{t}", t, f"{t} {t}", lambda a, b: b - a)
        define(f"v_mul_lo_{t}", t, f"{t} {t}", mul)
        define(f"v_mad_{t}", t, f"{t} {t} {t}", lambda a, b, c: a * b + c)


def _multiply_add(dtype: Any) -> Callable[[Any, Any, Any], Any]:
    return lambda a, b, c: np.asarray(a, dtype) * np.asarray(b, dtype) + c


def _define_24_bit() -> None:
    forms = (("u32", integers.unsigned24, np.uint64), ("i32", integers.signed24, np.int64))
    for t, narrow, wide in forms:
        dtype, suffix = DTYPES[t], f"{t}_{t[0]}24"
        product = _product24(narrow, dtype)
        high = lambda a, b, n=narrow, w=wide, d=dtype: ((n(a) * n(b)) >> w(32)).astype(d)  # noqa: E731
        TABLE.define(f"v_mul_{suffix}", t, f"{t} {t}", product)
        TABLE.define(f"v_mul_hi_{suffix}", t, f"{t} {t}", high)
        TABLE.define(f"v_mad_{suffix}", t, f"{t} {t} {t}", one_after(product, operator.add))


def _product24(narrow: Callable[[Any], Any], dtype: Any) -> Callable[[Any, Any], Any]:
    return lambda a, b: (narrow(a) * narrow(b)).astype(dtype)


def _define_logic() -> None:
    define = TABLE.define
    for bits in (16, 32):
        t = f"u{bits}"
        define(f"v_and_b{bits}", t, f"{t} {t}", operator.and_)
        define(f"v_or_b{bits}", t, f"{t} {t}", operator.or_)
        define(f"v_xor_b{bits}", t, f"{t} {t}", operator.xor)
        define(f"v_not_b{bits}", t, t, operator.invert)
        define(f"v_mov_b{bits}", t, t, lambda a: a)
    define("v_mov_b64", "u64", "u64", lambda a: a)
    accumulators = "v_accvgpr_write_b32 v_accvgpr_read_b32 v_accvgpr_mov_b32"
    define(accumulators, "u32", "u32", lambda a: a)
    define("v_xnor_b32", "u32", "u32 u32", lambda a, b: ~(a ^ b))
    define("v_bfi_b32", "u32", "u32 u32 u32", lambda a, b, c: (a & b) | (~a & c))
    define("v_bfm_b32", "u32", "u32 u32", _bit_field_mask)
    define("v_bfe_u32", "u32", "u32 u32 u32", integers.extract_unsigned)
    define("v_bfe_i32", "i32", "i32 u32 u32", integers.extract_signed)
    define("v_alignbit_b32", "u32", "u32 u32 u32", integers.align(1, 31))
    define("v_alignbyte_b32", "u32", "u32 u32 u32", integers.align(8, 3))
    define("v_perm_b32", "u32", "u32 u32 u32", integers.permute_bytes)
    define("v_bfrev_b32", "u32", "u32", integers.reverse_bits)
    define("v_bcnt_u32_b32", "u32", "u32 u32", lambda a, b: integers.population_count(a) + b)
    define("v_ffbh_u32 v_clz_i32_u32", "i32", "u32", integers.leading_zeros)
    define("v_ffbl_b32 v_ctz_i32_b32", "i32", "u32", integers.trailing_zeros)
    define("v_ffbh_i32 v_cls_i32", "i32", "i32", integers.leading_sign_bits)


def _bit_field_mask(width: Any, offset: Any) -> Any:
    ones = (np.uint32(1) << (width & np.uint32(31))) - np.uint32(1)
    return ones << (offset & np.uint32(31))


def _define_two_step() -> None:
    """Instructions that do two operations in one."""
    shift = _shift(operator.lshift, "u32")
    left = lambda value, amount: shift(amount, value)  # noqa: E731
    steps = {
        "v_lshl_add_u32": (left, operator.add),
        "v_add_lshl_u32": (operator.add, left),
        "v_lshl_or_b32": (left, operator.or_),
        "v_and_or_b32": (operator.and_, operator.or_),
        "v_or3_b32": (operator.or_, operator.or_),
        "v_xor3_b32": (operator.xor, operator.xor),
        "v_xad_u32": (operator.xor, operator.add),
        "v_add3_u32": (operator.add, operator.add),
    }
    for name, (first, second) in steps.items():
        TABLE.define(name, "u32", "u32 u32 u32", one_after(first, second))
    wide = lambda a, b, c: (a << (np.asarray(b).astype(np.uint64) & np.uint64(7))) + c  # noqa: E731
    TABLE.define("v_lshl_add_u64", "u64", "u64 u32 u64", wide)


def _define_comparing() -> None:
    largest, smallest = np.maximum, np.minimum
    for t in ("u16", "i16", "u32", "i32"):
        three = f"{t} {t} {t}"
        for name, function in (("max", largest), ("min", smallest)):
            TABLE.define(f"v_{name}_{t}", t, f"{t} {t}", function)
            TABLE.define(f"v_{name}3_{t}", t, three, in_sequence(function))
        TABLE.define(f"v_med3_{t}", t, three, integers.median)
        TABLE.define(f"v_maxmin_{t}", t, three, one_after(largest, smallest))
        TABLE.define(f"v_minmax_{t}", t, three, one_after(smallest, largest))


_define_shifts()
_define_arithmetic()
_define_24_bit()
_define_logic()
_define_two_step()
_define_comparing()

SATURATING: dict[str, Callable[[Any, Any], Any]] = {}
"""Additions and subtractions that know the clamp modifier: what they give with it."""


def _saturating(function: Callable[[Any, Any], Any], dtype: str) -> Callable[[Any, Any], Any]:
    limits = np.iinfo(DTYPES[dtype])

    def compute(a: Any, b: Any) -> Any:
        exact = function(np.asarray(a, np.int64), np.asarray(b, np.int64))
        return np.clip(exact, limits.min, limits.max).astype(DTYPES[dtype])

    return compute


for _dtype in ("u32", "i32", "u16", "i16"):
    for _name, _function in (("add", operator.add), ("sub", operator.sub)):
        SATURATING[f"v_{_name}_{_dtype}"] = _saturating(_function, _dtype)
        SATURATING[f"v_{_name}_nc_{_dtype}"] = _saturating(_function, _dtype)
