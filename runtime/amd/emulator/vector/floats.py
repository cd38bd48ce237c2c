"""Elementwise vector instructions on floats, and conversions from and to them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..values import float_functions as ff
from ..values.numeric import DTYPES, FLOATS, f32_to_bf16
from .table import Table, in_sequence, one_after

TABLE = Table()


def _define_arithmetic(t: str) -> None:
    define = TABLE.define
    define(f"v_add_{t}", t, f"{t} {t}", operator.add)
    define(f"v_sub_{t}", t, f"{t} {t}", operator.sub)
    define(f"v_subrev_{t}", t, f"{t} {t}", lambda a, b: b - a)
    define(f"v_mul_{t}", t, f"{t} {t}", operator.mul)
    fused = "fma mad fmac mac fmaak fmamk madak madmk".split()
    define(" ".join(f"v_{name}_{t}" for name in fused), t, f"{t} {t} {t}", ff.FMA[t])
    define(f"v_div_fixup_{t}", t, f"{t} {t} {t}", ff.division_fixup)
    define(f"v_ldexp_{t}", t, f"{t} {'i16' if t == 'f16' else 'i32'}", ff.scale_by_power)


def _define_comparing(t: str) -> None:
    define = TABLE.define
    pairs = {"max": ff.maximum_number, "min": ff.minimum_number}
    for name, function in pairs.items():
        define(f"v_{name}_{t} v_{name}_num_{t}", t, f"{t} {t}", function)
        define(f"v_{name}3_{t} v_{name}3_num_{t}", t, f"{t} {t} {t}", in_sequence(function))
    for name, function in {"maximum": ff.maximum, "minimum": ff.minimum}.items():
        define(f"v_{name}_{t}", t, f"{t} {t}", function)
        define(f"v_{name}3_{t}", t, f"{t} {t} {t}", in_sequence(function))
    for first, second in (("max", "min"), ("min", "max")):
        both = one_after(pairs[first], pairs[second])
        define(f"v_{first}{second}_{t} v_{first}{second}_num_{t}", t, f"{t} {t} {t}", both)
    for first, second in (("maximum", "minimum"), ("minimum", "maximum")):
        both = one_after(getattr(ff, first), getattr(ff, second))
        define(f"v_{first}{second}_{t}", t, f"{t} {t} {t}", both)
    define(f"v_med3_{t} v_med3_num_{t}", t, f"{t} {t} {t}", ff.median)


def _define_functions(t: str) -> None:
    dtype = DTYPES[t]
    functions = {
        "rcp": lambda x: 1 / x,
        "rcp_iflag": lambda x: 1 / x,
        "rsq": lambda x: 1 / np.sqrt(x),
        "sqrt": np.sqrt,
        "exp": np.exp2,
        "log": np.log2,
        "sin": ff.turns(np.sin),
        "cos": ff.turns(np.cos),
    }
    for name, function in functions.items():
        TABLE.define(f"v_{name}_{t}", t, t, ff.native(function, dtype))
    exact = {
        "floor": np.floor,
        "ceil": np.ceil,
        "trunc": np.trunc,
        "rndne": np.rint,
        "fract": ff.fraction,
        "frexp_mant": ff.mantissa,
    }
    for name, function in exact.items():
        TABLE.define(f"v_{name}_{t}", t, t, function)
    TABLE.define(f"v_frexp_exp_i32_{t}", "i32", t, ff.exponent(np.int32))
    TABLE.define(f"v_frexp_exp_i16_{t}", "i16", t, ff.exponent(np.int16))


def _define_conversions(t: str) -> None:
    dtype = DTYPES[t]
    for integer in ("i16", "u16", "i32", "u32"):
        TABLE.define(f"v_cvt_{t}_{integer}", t, integer, lambda x: np.asarray(x).astype(dtype))
        TABLE.define(f"v_cvt_{integer}_{t}", integer, t, ff.to_integer(DTYPES[integer]))
    for other in FLOATS:
        TABLE.define(f"v_cvt_{t}_{other}", t, other, lambda x: np.asarray(x).astype(dtype))


def pack_halves(low: Any, high: Any) -> Any:
    """Two 16-bit values in one register."""
    low, high = np.asarray(low), np.asarray(high)
    return low.view(np.uint16).astype(np.uint32) | (high.view(np.uint16).astype(np.uint32) << 16)


def _byte_to_f32(position: int) -> Any:
    shift = np.uint32(8 * position)
    return lambda x: ((x >> shift) & np.uint32(255)).astype(np.float32)


def _clipped(dtype: Any) -> Any:
    limits = np.iinfo(dtype)
    return lambda x: np.clip(x, limits.min, limits.max).astype(dtype)


def _define_special_conversions() -> None:
    define = TABLE.define
    to_i32 = ff.to_integer(np.int32)
    nearest_up = lambda x: to_i32(np.floor(np.asarray(x, np.float64) + 0.5))  # noqa: E731
    define("v_cvt_nearest_i32_f32 v_cvt_rpi_i32_f32", "i32", "f32", nearest_up)
    define("v_cvt_floor_i32_f32 v_cvt_flr_i32_f32", "i32", "f32", lambda x: to_i32(np.floor(x)))
    for position in range(4):
        define(f"v_cvt_f32_ubyte{position}", "f32", "u32", _byte_to_f32(position))
    define("v_cvt_f32_bf16", "f32", "bf16", lambda x: x)
    define("v_pack_b32_f16", "u32", "f16 f16", pack_halves)
    pairs = {
        "v_cvt_pk_rtz_f16_f32 v_cvt_pkrtz_f16_f32": ff.to_f16_towards_zero,
        "v_cvt_pk_f16_f32": lambda x: np.asarray(x).astype(np.float16),
        "v_cvt_pk_bf16_f32": f32_to_bf16,
    }
    for names, convert in pairs.items():
        define(names, "u32", "f32 f32", _pair_of(convert))
    define("v_cvt_pk_i16_i32", "u32", "i32 i32", _pair_of(_clipped(np.int16)))
    define("v_cvt_pk_u16_u32", "u32", "u32 u32", _pair_of(_clipped(np.uint16)))


def _pair_of(convert: Any) -> Any:
    return lambda a, b: pack_halves(convert(a), convert(b))


for _type in FLOATS:
    _define_arithmetic(_type)
    _define_comparing(_type)
    _define_functions(_type)
    _define_conversions(_type)
_define_special_conversions()
_ZERO_WINS = "v_mul_legacy_f32 v_mul_dx9_zero_f32"
TABLE.define(_ZERO_WINS, "f32", "f32 f32", ff.multiply_zero_wins)
