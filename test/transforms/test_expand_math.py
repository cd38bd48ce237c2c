"""Every row of the table of math functions keeps its error, on inputs from everywhere."""

import math
import re
from collections.abc import Callable, Iterator

import mpmath
import numpy as np
import pytest
from native import ROOT, Function, Library, compile_functions, ulp_errors

TABLE = ROOT / "compiler" / "transforms" / "ExpandMath" / "MathTable.def"
FLOATS = {32: (np.float32, np.float64), 64: (np.float64, np.longdouble)}
BINARY = ("atan2", "powf", "remf")


def read_rows() -> Iterator[tuple[str, int, float]]:
    for match in re.finditer(r"^TILE_MATH\((\w+), (\d+), ([\d.]+),", TABLE.read_text(), re.M):
        yield match[1], int(match[2]), float(match[3])


ROWS = list(read_rows())


def by_element(single: Callable, limit: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    """A function of numbers applied to an array: by mpmath where its type is wider than f64."""

    def one(x: np.floating) -> np.floating | float:
        if not math.isfinite(x) or abs(x) > 100:
            return math.nan if math.isnan(x) else limit(float(x))
        if x.dtype == np.float64:
            return getattr(math, single.__name__)(x)
        with mpmath.workprec(80):
            mantissa, exponent = mpmath.frexp(single(mpmath.mpf(float(x))))
            high = float(mantissa)
            low = float(mantissa - high)
        return np.ldexp(np.longdouble(high) + np.longdouble(low), exponent)

    return lambda array: np.array([one(x) for x in array], array.dtype)


# Exact values: numpy's in a wider type, by its name, or those given here.
NAMES = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "powf": "power",
    "remf": "fmod",
}
EXACT: dict[str, Callable[..., np.ndarray]] = {
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": by_element(mpmath.erf, lambda x: math.copysign(1, x)),
    "erfc": by_element(mpmath.erfc, lambda x: 1 - math.copysign(1, x)),
}
SLOW = ("erf", "erfc")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    def build(function: str, bits: int) -> Function:
        element, operands = f"f{bits}", "%x0, %x1" if function in BINARY else "%x0"
        dialect = "arith" if function == "remf" else "math"
        body = f"%y = {dialect}.{function} {operands} : ${element}"
        return Function(f"{function}{bits}", body, [element] * (1 + (function in BINARY)), element)

    functions = [build(function, bits) for function, bits, _ in ROWS]
    return compile_functions(tmp_path_factory.mktemp("math"), functions, "tile-expand-math")


def specials(dtype: type) -> np.ndarray:
    info = np.finfo(dtype)
    values = [0, 1, 0.5, 2, 3, info.max, info.tiny, info.smallest_subnormal, np.inf, np.nan]
    return np.array(values + [-value for value in values], dtype)


def sweep(dtype: type, count: int) -> np.ndarray:
    """Any bits, and where functions bend: near 0 and 1, multiples of pi, and up to overflow."""
    info = np.finfo(dtype)
    rng = np.random.default_rng()
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    parts = [
        rng.integers(0, np.iinfo(unsigned).max, count, unsigned, endpoint=True).view(dtype),
        rng.normal(0, 1, count),
        np.exp(rng.normal(0, 2, count)),
        1 + rng.normal(0, 1e-3, count),
        np.log(np.longdouble(info.max)) * rng.uniform(-1.3, 1.3, count),
        rng.integers(-300, 300, count) / 2,
        rng.uniform(-10, 10, count),
        rng.integers(-(2**20), 2**20, count) * np.longdouble(np.pi) / 4,
    ]
    return np.concatenate([part.astype(dtype) for part in parts])


def operands(function: str, dtype: type, count: int) -> list[np.ndarray]:
    """One array, or two with all pairs of special values in front."""
    special = specials(dtype)
    if function not in BINARY:
        return [np.concatenate([special, sweep(dtype, count)])]
    x, y = sweep(dtype, count), sweep(dtype, count)
    np.random.default_rng().shuffle(y)
    pairs = np.repeat(special, len(special)), np.tile(special, len(special))
    return [np.concatenate([pairs[0], x]), np.concatenate([pairs[1], y])]


@pytest.mark.parametrize(("function", "bits", "error"), ROWS, ids=[f"{row[0]}.f{row[1]}" for row in ROWS])
def test_error_is_within_the_table(library: Library, function: str, bits: int, error: float) -> None:
    dtype, wide = FLOATS[bits]
    count = 50_000 if bits == 32 else 10_000
    inputs = operands(function, dtype, count // 20 if function in SLOW else count)
    got = library(f"{function}{bits}", dtype, *inputs)
    with np.errstate(all="ignore"):
        exact = EXACT.get(function) or getattr(np, NAMES.get(function, function))
        want = exact(*[x.astype(wide) for x in inputs])
    errors = ulp_errors(got, want)
    worst = int(np.argmax(errors))  # inputs are random: some are a little worse than those that were measured
    where = [f"{x[worst]!r}" for x in inputs]
    assert errors[worst] <= 1.15 * error, f"{errors[worst]} ulp at {where}: {got[worst]!r} for {want[worst]!r}"


ODD = ("asin", "asinh", "atan", "atanh", "cbrt", "erf", "expm1", "log1p", "sin", "sinh", "tan", "tanh")


@pytest.mark.parametrize("bits", FLOATS)
@pytest.mark.parametrize("function", ODD)
def test_zero_keeps_its_sign(library: Library, function: str, bits: int) -> None:
    dtype, _ = FLOATS[bits]
    zeros = np.array([0.0, -0.0], dtype)
    np.testing.assert_array_equal(np.signbit(library(f"{function}{bits}", dtype, zeros)), [False, True])


@pytest.mark.parametrize(("function", "error"), [("exp", 1.5), ("tanh", 3.0)])
def test_functions_by_a_native_exp2(tmp_path_factory: pytest.TempPathFactory, function: str, error: float) -> None:
    """The forms for targets with exp2; here LLVM's own stands for it."""
    facts = "lanes = 1 : i32, native_math = {exp2.f32 = 1.0 : f32}"
    body = f"%y = math.{function} %x0 : $f32"
    folder = tmp_path_factory.mktemp("native")
    library = compile_functions(folder, [Function(function, body, ["f32"], "f32")], "tile-expand-math", facts=facts)
    huge = np.ldexp(np.float32(1.5), np.arange(8, 128))
    x = np.concatenate([specials(np.float32), huge, -huge, sweep(np.float32, 50_000)])
    with np.errstate(all="ignore"):
        want = getattr(np, function)(x.astype(np.float64))
    assert ulp_errors(library(function, np.float32, x), want).max() <= error
    zeros = np.array([0.0, -0.0], np.float32)
    np.testing.assert_array_equal(library(function, np.float32, zeros), getattr(np, function)(zeros))
