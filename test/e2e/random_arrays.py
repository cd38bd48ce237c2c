"""Arrays for the tests of values."""

from __future__ import annotations

import ml_dtypes
import numpy as np

BF16 = np.dtype(ml_dtypes.bfloat16)
INTEGERS = [np.dtype(name) for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")]
FLOATS = [np.dtype("float16"), BF16, np.dtype("float32"), np.dtype("float64")]
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, 3e38, 0.5, -2.5, 65504.0]


def is_float(dtype: np.dtype) -> bool:
    """Whether a type is a float, numpy's or not."""
    return dtype == BF16 or dtype.kind == "f"


def some(rng: np.random.Generator, dtype: np.dtype, shape, special: bool = True) -> np.ndarray:
    """Random values of a type, with limits and special values among them."""
    count = int(np.prod(shape))
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if is_float(dtype):
        values = (rng.standard_normal(count) * 10.0 ** rng.integers(-2, 3, count)).astype(dtype)
        edge = np.array(SPECIAL).astype(dtype)
    else:
        limits = np.iinfo(dtype)
        values = rng.integers(limits.min, limits.max, count, dtype, endpoint=True)
        edge = np.array([limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1], dtype)
    if special:
        places = rng.integers(0, count, min(count, 2 * len(edge)))
        values[places] = rng.choice(edge, len(places))
    return values.reshape(shape)


def same(result: np.ndarray, expected: np.ndarray) -> bool:
    """Equal bit for bit, but any NaN equals any NaN, and zeros of both signs are equal."""
    if is_float(expected.dtype):
        result, expected = result.astype(np.float64), expected.astype(np.float64)
        return bool(np.all((result == expected) | (np.isnan(result) & np.isnan(expected))))
    return bool(np.array_equal(result, expected))


def ulp_error(result: np.ndarray, exact: np.ndarray, *, flushes: bool = False) -> float:
    """The largest error in units in the last place of the result's type; infinite for wrong special values.

    With ``flushes``, zero is as good as a result below the smallest normal number of f32.
    """
    dtype = result.dtype
    finfo = ml_dtypes.finfo(dtype)
    if flushes:
        normal = (np.abs(exact) >= 2.0**-126) | (result.astype(np.float64) != 0)
        result, exact = result[normal], exact[normal]
    rounded = exact.astype(dtype)
    got, want = result.astype(np.float64), rounded.astype(np.float64)
    special = ~np.isfinite(want)
    agree = (got == want) | (np.isnan(got) & np.isnan(want))
    if not np.all(agree[special]) or not np.all(np.isfinite(got[~special])):
        return float("inf")
    exact, got = exact[~special].astype(np.float64), got[~special]
    if exact.size == 0:
        return 0.0
    _, exponent = np.frexp(np.maximum(np.abs(exact), float(finfo.tiny)))
    unit = np.ldexp(float(finfo.eps), exponent - 1)
    return float(np.max(np.abs(got - exact) / unit))
