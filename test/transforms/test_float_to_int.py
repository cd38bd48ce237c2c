"""Conversions from float to integer saturate, and NaN gives zero."""

import math

import numpy as np
import pytest
from native import Function, Library, compile_functions

CASES = [(sign, source, width) for sign in "su" for source in ("f16", "f32", "f64") for width in (8, 16, 32, 64)]
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


@pytest.fixture(scope="module", params=[16, 1], ids=["vector", "scalar"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Library:
    functions = [
        Function(
            f"{sign}{source}{width}", f"%y = arith.fpto{sign}i %x0 : ${source} to $i{width}", [source], f"i{width}"
        )
        for sign, source, width in CASES
    ]
    folder = tmp_path_factory.mktemp("float_to_int")
    return compile_functions(folder, functions, "tile-expand-casts,tile-saturate-float-to-int", request.param)


def convert(x: float, low: int, high: int) -> int:
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return high if x > 0 else low
    return min(max(int(x), low), high)


@pytest.mark.parametrize(("sign", "source", "width"), CASES)
def test_conversion_saturates(library: Library, sign: str, source: str, width: int) -> None:
    dtype = np.dtype(f"int{width}" if sign == "s" else f"uint{width}")
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    rng = np.random.default_rng()
    with np.errstate(over="ignore"):
        ends = np.array([low, high], np.float64).astype(FLOATS[source])
        special = np.array([0, -0.0, 0.9, -0.9, 1, -1, np.nan, np.inf, -np.inf], FLOATS[source])
        random = (rng.normal(0, 1, 2000) * 2.0 ** rng.integers(-2, width + 2, 2000)).astype(FLOATS[source])
    around = [np.nextafter(ends, FLOATS[source](way)) for way in (-np.inf, np.inf)]
    x = np.concatenate([special, ends, *around, random])
    got = library(f"{sign}{source}{width}", dtype.type, x)
    want = np.array([convert(float(each), low, high) for each in x], dtype)
    np.testing.assert_array_equal(got, want)
