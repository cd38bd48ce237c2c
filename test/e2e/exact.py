"""Exact values: functions in higher precision, and results of rational numbers in each rounding."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

import numpy as np
from mpmath import mp, mpf

mp.dps = 40


def evaluate(function: Callable, *arguments: np.ndarray) -> np.ndarray:
    """A function of mpmath on each element, as long doubles; NaN where it has no real value."""
    results = []
    for values in zip(*(argument.ravel() for argument in arguments), strict=True):
        try:
            result = function(*(mpf(float(value)) for value in values))
        except (ValueError, ZeroDivisionError, OverflowError):
            result = mp.nan
        result = result if isinstance(result, mpf) else mp.nan
        high = float(result)
        low = float(result - high) if np.isfinite(high) else 0.0
        results.append(np.longdouble(high) + np.longdouble(low))
    return np.array(results)


def ulps(result: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Errors in units in the last place of the result's type; infinite for a wrong special value."""
    info = np.finfo(result.dtype)
    rounded = exact.astype(result.dtype)
    with np.errstate(all="ignore"):
        agree = (result == rounded) | (np.isnan(result) & np.isnan(rounded))
        _, exponent = np.frexp(np.maximum(np.abs(exact), np.longdouble(info.tiny)))
        error = np.abs(result.astype(np.longdouble) - exact) / np.ldexp(np.longdouble(info.eps), exponent - 1)
    return np.where(agree & ~np.isfinite(rounded), 0, np.where(np.isfinite(rounded) & np.isfinite(result), error,
                                                               np.where(agree, 0, np.inf))).astype(float)


# --- rational numbers ---------------------------------------------------------------------------------
def round_fraction(value: Fraction, dtype: np.dtype, rounding: str) -> float:
    """A number that is not zero in one of the roundings `rn`, `rz`, `rd` and `ru`."""
    info = np.finfo(dtype)
    sign, size = (-1 if value < 0 else 1), abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** (max(exponent, int(info.minexp)) - int(info.nmant))
    whole = size // unit
    rest = size - whole * unit
    towards_zero = rounding == "rz" or (rounding == "rd") == (sign > 0) and rounding != "rn"
    if rounding == "rn":
        whole += rest * 2 > unit or (rest * 2 == unit and whole % 2 == 1)
    elif not towards_zero:
        whole += rest > 0
    if whole * unit > Fraction(float(info.max)):
        return sign * (float(info.max) if towards_zero else np.inf)
    return sign * float(whole * unit)


def root_side(value: Fraction, dtype: np.dtype, rounding: str) -> float:
    """The square root of a positive number."""
    # To 300 bits and a sticky one.
    shift = 600 - (value.numerator.bit_length() - value.denominator.bit_length()) // 2 * 2
    scaled = value * Fraction(2) ** shift
    root = isqrt(scaled.numerator // scaled.denominator)
    inexact = Fraction(root) ** 2 != scaled
    return round_fraction((Fraction(root) + Fraction(1, 2) * inexact) / Fraction(2) ** (shift // 2), dtype, rounding)
