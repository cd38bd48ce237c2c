"""Functions under libdevice's names: errors in units in the last place, special values, exactness."""

import math
from fractions import Fraction

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from exact import evaluate, root_side, round_fraction, ulps
from mpmath import mp
from random_arrays import FLOATS, same, some, ulp_error
from tilewright.language.extra import libdevice

F32, F64 = np.dtype("f4"), np.dtype("f8")
SIZE = 300


@tw.jit
def kernel(xs, out, n, NAME: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    function = getattr(libdevice, NAME)
    if len(xs) == 1:
        value = function(tl.load(xs[0] + i, mask=mask))
    elif len(xs) == 2:
        value = function(tl.load(xs[0] + i, mask=mask), tl.load(xs[1] + i, mask=mask))
    elif len(xs) == 3:
        value = function(tl.load(xs[0] + i, mask=mask), tl.load(xs[1] + i, mask=mask), tl.load(xs[2] + i, mask=mask))
    else:
        value = function(tl.load(xs[0] + i, mask=mask), tl.load(xs[1] + i, mask=mask), tl.load(xs[2] + i, mask=mask),
                         tl.load(xs[3] + i, mask=mask))
    tl.store(out + i, value, mask=mask)


def run(name, *xs, dtype=None):
    out = np.empty(xs[0].shape, dtype or xs[0].dtype)
    kernel[(tw.cdiv(xs[0].size, 128),)](xs, out, xs[0].size, NAME=name, BLOCK=128)
    return out


# --- functions with errors ------------------------------------------------------------------------------
def real(function):
    """Where the function has a value that is not real, NaN."""
    return lambda *x: (lambda y: y if mp.im(y) == 0 else mp.nan)(function(*x))


def signed_lgamma(x):
    return mp.inf if x <= 0 and x == mp.floor(x) else mp.log(abs(mp.gamma(x)))


def norm(*x):
    return mp.sqrt(sum(value * value for value in x))


def inverse_erfc(y):
    return mp.findroot(lambda x: mp.erfc(x) / y - 1, mp.sqrt(-mp.log(y)) * 0.95 if y < 0.1 else mp.erfinv(1 - y))


INF = float("inf")
# name: reference, range of the arguments, largest errors of fp32 and fp64, values at special arguments
FUNCTIONS = {
    "acos": (real(mp.acos), (-1, 1), 2.0, 2.0, {2.0: np.nan}),
    "acosh": (real(mp.acosh), (1, 1e30), 3.0, 3.0, {0.5: np.nan, INF: INF}),
    "asin": (real(mp.asin), (-1, 1), 2.0, 2.0, {2.0: np.nan}),
    "asinh": (mp.asinh, (-1e30, 1e30), 3.0, 3.0, {INF: INF}),
    "atan": (mp.atan, (-1e30, 1e30), 2.0, 2.0, {INF: math.pi / 2}),
    "atanh": (real(mp.atanh), (-1, 1), 3.0, 3.0, {1.0: INF, 2.0: np.nan}),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), (-1e30, 1e30), 1.0, 1.0, {-INF: -INF, 0.0: 0.0}),
    "cosh": (mp.cosh, (-80, 80), 2.0, 2.0, {INF: INF}),
    "erf": (mp.erf, (-5, 5), 1.5, 1.5, {INF: 1.0}),
    "erfc": (mp.erfc, (-5, 9), 4.5, 4.5, {INF: 0.0, -INF: 2.0}),
    "expm1": (mp.expm1, (-80, 80), 2.0, 2.0, {-INF: -1.0}),
    "log10": (real(mp.log10), (0, 1e30), 1.0, 1.0, {0.0: -INF, -1.0: np.nan}),
    "log1p": (real(mp.log1p), (-1, 1e30), 1.5, 1.5, {-1.0: -INF, -2.0: np.nan}),
    "sinh": (mp.sinh, (-80, 80), 3.0, 3.0, {-INF: -INF}),
    "tan": (mp.tan, (-1e4, 1e4), 4.0, 4.0, {INF: np.nan}),
    "tanh": (mp.tanh, (-20, 20), 3.0, 3.0, {INF: 1.0}),
    "exp10": (lambda x: mp.mpf(10) ** x, (-37, 38), 0.51, 2.0, {INF: INF, -INF: 0.0, 1000.0: INF}),
    "sinpi": (mp.sinpi, (-1e4, 1e4), 0.51, 1.5, {INF: np.nan, 1e30: 0.0, -0.5: -1.0}),
    "cospi": (mp.cospi, (-1e4, 1e4), 0.51, 1.5, {INF: np.nan, 1e30: 1.0, 0.5: 0.0}),
    "rcbrt": (lambda x: mp.sign(x) / mp.cbrt(abs(x)), (-1e30, 1e30), 1.5, 1.5, {0.0: INF, INF: 0.0}),
    "lgamma": (signed_lgamma, (0, 1e6), 0.51, 4.0, {0.0: INF, -3.0: INF, INF: INF, -INF: INF, 1.0: 0.0, 2.0: 0.0}),
    "tgamma": (mp.gamma, (0, 33), 0.51, 6.0, {0.0: INF, -3.0: np.nan, INF: INF, -INF: np.nan, 200.0: INF}),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), (-5, 1e4), 0.51, 5.0, {INF: 0.0, -INF: INF}),
    "erfinv": (mp.erfinv, (-1, 1), 0.51, 5.0, {1.0: INF, -1.0: -INF, 1.5: np.nan, 0.0: 0.0}),
    "erfcinv": (inverse_erfc, (1e-30, 1), 0.51, 8.0, {0.0: INF, 2.0: -INF, 3.0: np.nan, 1.0: 0.0}),
    "normcdf": (mp.ncdf, (-12, 9), 0.51, 5.0, {INF: 1.0, -INF: 0.0, 0.0: 0.5}),
    "normcdfinv": (lambda p: -mp.sqrt(2) * inverse_erfc(2 * p), (1e-30, 0.5), 0.51, 8.0, {0.0: -INF, 1.0: INF}),
    "cyl_bessel_i0": (lambda x: mp.besseli(0, x), (-80, 80), 0.51, 6.0, {0.0: 1.0, INF: INF}),
    "cyl_bessel_i1": (lambda x: mp.besseli(1, x), (-80, 80), 0.51, 6.0, {0.0: 0.0, -INF: -INF}),
    "rsqrt_rn": (lambda x: 1 / mp.sqrt(x), (1e-30, 1e30), 0.5001, 0.5001, {0.0: INF, INF: 0.0}),
}


def check_errors(result, exact, allowed, *arguments):
    error = ulps(result, exact)
    worst = error.argmax()
    place = [argument[worst] for argument in arguments]
    assert error[worst] <= 1.15 * allowed, f"{error[worst]} ulp at {place}: {result[worst]}, not {exact[worst]}"


def spread(rng, low, high, dtype, size=SIZE):
    """Arguments of a range, of which many are close to a bound or to zero."""
    even = rng.uniform(low, high, size)
    near = rng.choice([low, high, 0.0 if low <= 0 <= high else low], size)
    close = near + (even - near) * 10.0 ** rng.uniform(-8, 0, size)
    return np.where(rng.random(size) < 0.4, even, close).astype(dtype)


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(rng, name, dtype):
    reference, bounds, single, double, special = FUNCTIONS[name]
    x = spread(rng, *bounds, dtype)
    result, exact = run(name, x), evaluate(reference, x)
    check_errors(result, exact, single if dtype == F32 else double, x)
    arguments = np.array([*special, np.nan], dtype)
    results = run(name, arguments)
    expected = np.array([*special.values(), np.nan])
    assert np.allclose(results, expected, rtol=1e-6, atol=0, equal_nan=True), (arguments, results, expected)


BESSEL = {"j0": lambda x: mp.besselj(0, x), "j1": lambda x: mp.besselj(1, x),
          "y0": lambda x: mp.bessely(0, x), "y1": lambda x: mp.bessely(1, x)}


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("name", BESSEL)
def test_bessel_functions(rng, name, dtype):
    x = spread(rng, 0.1, 500, dtype)
    exact = evaluate(BESSEL[name], x)
    bound = np.finfo(dtype).eps * np.maximum(np.abs(exact), 1) * 8
    excess = np.abs(run(name, x) - exact) / bound
    assert excess.max() <= 1.15, (x[excess.argmax()], float(excess.max()))
    ends = run(name, np.array([0.0, np.inf, np.nan, -2.5], dtype))
    odd = -1 if name == "j1" else 1
    negative = float(BESSEL[name](2.5)) * odd if name[0] == "j" else np.nan
    start = {"j0": 1.0, "j1": 0.0}.get(name, -np.inf)
    assert np.allclose(ends, [start, 0.0, np.nan, negative], rtol=1e-6, atol=0, equal_nan=True)


@tw.jit
def order_kernel(n, x, out, size, NAME: tl.constexpr):
    i = tl.arange(0, 128)
    tl.store(out + i, getattr(libdevice, NAME)(tl.load(n + i, mask=i < size, other=0), tl.load(
        x + i, mask=i < size, other=1.0)), mask=i < size)


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("name, function", [("jn", mp.besselj), ("yn", mp.bessely)])
def test_bessel_functions_of_other_orders(rng, name, function, dtype):
    n = rng.integers(0, 12, 100).astype(np.int32)
    x = rng.uniform(0.5, 40, 100).astype(dtype)
    out = np.empty(100, dtype)
    order_kernel[(1,)](n, x, out, 100, NAME=name)
    exact = np.array([float(function(int(k), mp.mpf(float(v)))) for k, v in zip(n, x, strict=True)])
    assert np.all(np.abs(out - exact) <= np.maximum(np.abs(exact), 1) * np.finfo(dtype).eps * 50)


SEVERAL = {"hypot": (2, norm, 0.51, 1.5), "rhypot": (2, lambda *x: 1 / norm(*x), 0.51, 2.0),
           "norm3d": (3, norm, 0.51, 2.0), "rnorm3d": (3, lambda *x: 1 / norm(*x), 0.51, 2.5),
           "norm4d": (4, norm, 0.51, 2.0), "rnorm4d": (4, lambda *x: 1 / norm(*x), 0.51, 2.5),
           "atan2": (2, mp.atan2, 2.0, 2.0), "fma": (3, lambda x, y, z: x * y + z, 0.5001, 0.5001)}


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("name", SEVERAL)
def test_functions_of_several(rng, name, dtype):
    count, reference, single, double = SEVERAL[name]
    top = 18 if dtype == F32 else 150
    xs = [(rng.standard_normal(SIZE) * 10.0 ** rng.uniform(-top, top, SIZE)).astype(dtype) for _ in range(count)]
    check_errors(run(name, *xs), evaluate(reference, *xs), single if dtype == F32 else double, *xs)


def test_lengths_are_infinite_beside_nan():
    x, y = np.array([np.inf, np.nan, 1.0], np.float32), np.array([np.nan, 1.0, -np.inf], np.float32)
    assert np.array_equal(run("hypot", x, y), np.array([np.inf, np.nan, np.inf], np.float32), equal_nan=True)


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_powers(rng, dtype):
    x = np.abs(rng.standard_normal(SIZE) * 10.0 ** rng.uniform(-5, 5, SIZE)).astype(dtype)
    y = rng.uniform(-30, 30, SIZE).astype(dtype)
    x[::7], y[::7] = -x[::7], np.round(y[::7])
    allowed = 0.51 if dtype == F32 else 1.5
    check_errors(run("pow", x, y), evaluate(real(mp.power), x, y), allowed, x, y)
    n = rng.integers(-9, 9, SIZE).astype(np.int32)
    x = np.where(x == 0, 1, x).astype(dtype)
    check_errors(run("pow", x, n), evaluate(lambda a, b: a ** int(b), x, n), allowed, x, n)


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_powers_of_special_values(dtype):
    special = np.array([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 1e30, np.inf, -np.inf, np.nan], dtype)
    x, y = (side.ravel() for side in np.meshgrid(special, special))
    result, expected = run("pow", x, y), np.power(x, y)
    wrong = ~(np.isclose(result, expected, rtol=np.finfo(dtype).eps, atol=0, equal_nan=True)
              & (np.signbit(result) == np.signbit(expected)) | np.isnan(result) & np.isnan(expected))
    assert not wrong.any(), list(zip(x[wrong], y[wrong], result[wrong], expected[wrong], strict=True))


FAST = {"fast_sinf": np.sin, "fast_cosf": np.cos, "fast_expf": np.exp, "fast_exp10f": lambda x: 10.0**x,
        "fast_logf": lambda x: np.log(np.abs(x)), "fast_log2f": lambda x: np.log2(np.abs(x)),
        "fast_log10f": lambda x: np.log10(np.abs(x)), "fast_tanf": np.tan, "fast_tanhf": np.tanh}


@pytest.mark.parametrize("name", FAST)
def test_fast_functions_are_close(rng, name):
    x = rng.uniform(0.1, 1.5, SIZE).astype(np.float32)
    assert np.allclose(run(name, x), FAST[name](x.astype(np.float64)), rtol=1e-5, atol=1e-6)
    assert np.allclose(run("fast_powf", x, x), x**x, rtol=1e-5)
    assert np.allclose(run("fast_dividef", x, x + 1), x / (x + 1))


@pytest.mark.parametrize("dtype", [FLOATS[0], FLOATS[1]], ids=str)
@pytest.mark.parametrize("name", ["tanh", "erfinv", "lgamma", "hypot", "exp10"])
def test_narrow_floats_are_rounded_once(rng, name, dtype):
    x = np.abs(some(rng, dtype, SIZE, special=False)) / dtype.type(200)
    x = x.astype(dtype)
    xs = (x, x) if name == "hypot" else (x,)
    wide = [value.astype(np.float64) for value in xs]
    exact = run(name, *wide)
    assert ulp_error(run(name, *xs), exact) <= 0.51


# --- what is exact ----------------------------------------------------------------------------------------
WHOLE = {"trunc": np.trunc, "rint": np.rint, "nearbyint": np.rint, "floor": np.floor, "ceil": np.ceil,
         "round": lambda x: np.where(np.isfinite(x), np.copysign(np.floor(np.abs(x) + 0.5), x), x),
         "abs": np.abs, "saturatef": lambda x: np.where(np.isnan(x), 0, np.clip(x, 0, 1)), "logb": lambda x: np.where(
             np.isfinite(x) & (x != 0), np.floor(np.log2(np.abs(np.where(x == 0, 1, x)).astype(np.longdouble))),
             np.where(x == 0, -np.inf, np.abs(x)))}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", WHOLE)
def test_functions_without_errors(rng, name, dtype):
    x = some(rng, dtype, SIZE)
    assert same(run(name, x), WHOLE[name](x.astype(np.float64)).astype(dtype))


TESTS = {"isnan": np.isnan, "isinf": np.isinf, "finitef": np.isfinite, "isfinited": np.isfinite}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_classification(rng, dtype):
    x = some(rng, dtype, SIZE)
    for name, reference in TESTS.items():
        assert same(run(name, x, dtype=bool), reference(x.astype(np.float64)))
    assert same(run("signbit", x, dtype=np.int32), np.signbit(x.astype(np.float64)).astype(np.int32))


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_parts_and_neighbours(rng, dtype):
    x, y = some(rng, dtype, SIZE), some(rng, dtype, SIZE)
    x[:4], y[:4] = [0, -0.0, np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal], [-1, 1, np.inf, 0]
    assert same(run("nextafter", x, y), np.nextafter(x, y))
    assert same(run("copysign", x, y), np.copysign(x, y))
    assert same(run("fdim", x, y), np.where(x <= y, 0, x - y).astype(dtype))
    _, exponent = np.frexp(np.where(np.isfinite(x) & (x != 0), x, 1))
    special = np.where(np.isinf(x), 2**31 - 1, np.where(np.isnan(x) | (x == 0), -2**31, exponent - 1))
    assert same(run("ilogb", x, dtype=np.int32), special.astype(np.int32))
    for name, reference in (("llrint", np.rint), ("llround", WHOLE["round"])):
        small = rng.uniform(-1e6, 1e6, SIZE).astype(dtype)
        small[:5] = [0.5, 1.5, 2.5, -0.5, -2.5]
        assert same(run(name, small, dtype=np.int64), reference(small.astype(np.float64)).astype(np.int64))


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_scaling_rounds_once(rng, dtype):
    x = some(rng, dtype, SIZE)
    n = rng.integers(-2300, 2300, SIZE).astype(np.int32)
    n[: SIZE // 2] = rng.integers(-160, 160, SIZE // 2)
    expected = np.ldexp(x.astype(np.longdouble), n).astype(dtype)
    for name in ("ldexp", "scalbn"):
        assert same(run(name, x, n), expected)


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_remainders(rng, dtype):
    x, y = some(rng, dtype, SIZE), some(rng, dtype, SIZE)
    x[:100] = (y[:100] * rng.integers(-9, 9, 100) * dtype.type(0.5)).astype(dtype)
    assert same(run("fmod", x, y), np.fmod(x, y))

    def remainder(a, b):
        return math.remainder(a, b) if np.isfinite(a) and b != 0 and not np.isnan(b) else np.nan

    expected = np.array([remainder(float(a), float(b)) for a, b in zip(x, y, strict=True)], dtype)
    assert same(run("remainder", x, y), expected)


# --- roundings --------------------------------------------------------------------------------------------
def exact_sum(x, y, z):
    return x * y + z


OPERATIONS = {"add": (2, lambda x, y: x + y), "sub": (2, lambda x, y: x - y), "mul": (2, lambda x, y: x * y),
              "div": (2, lambda x, y: x / y), "rcp": (1, lambda x: 1 / x), "fma": (3, exact_sum), "sqrt": (1, None)}


@tw.jit
def roundings_kernel(xs, outs, NAME: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for k in tl.static_range(4):
        function = getattr(libdevice, NAME + ("_rn", "_rz", "_rd", "_ru")[k])
        if len(xs) == 1:
            tl.store(outs[k] + i, function(tl.load(xs[0] + i)))
        elif len(xs) == 2:
            tl.store(outs[k] + i, function(tl.load(xs[0] + i), tl.load(xs[1] + i)))
        else:
            tl.store(outs[k] + i, function(tl.load(xs[0] + i), tl.load(xs[1] + i), tl.load(xs[2] + i)))


def operands(rng, count, dtype):
    """Random floats of all sizes, among them pairs of like size, the largest and the least."""
    info = np.finfo(dtype)
    top = int(info.maxexp)
    xs = [np.ldexp(rng.uniform(1, 2, 512), rng.integers(-top - 20, top, 512)).astype(dtype) for _ in range(count)]
    for x in xs:
        x[:200] = rng.standard_normal(200).astype(dtype)
        x[200:230] = rng.choice([info.max, info.tiny, info.smallest_subnormal, 1, 3, 0.1], 30).astype(dtype)
        x *= rng.choice([-1, 1], 512).astype(dtype)
        x[x == 0] = 1
    return xs


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("name", OPERATIONS)
def test_four_roundings(rng, name, dtype):
    count, exact = OPERATIONS[name]
    xs = operands(rng, count, dtype)
    if name == "sqrt":
        xs = [np.abs(xs[0])]
    outs = tuple(np.empty(512, dtype) for _ in range(4))
    roundings_kernel[(1,)](tuple(xs), outs, NAME=name, BLOCK=512)
    for rounding, out in zip(("rn", "rz", "rd", "ru"), outs, strict=True):
        for place in range(512):
            values = [Fraction(float(x[place])) for x in xs]
            if name == "sqrt":
                expected = root_side(values[0], dtype, rounding)
            else:
                result = exact(*values)
                expected = round_fraction(result, dtype, rounding) if result else 0.0
            assert out[place] == dtype.type(expected), (rounding, [float(v) for v in values], out[place], expected)


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_roundings_of_special_values(dtype):
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, np.finfo(dtype).max], dtype)
    x, y = (side.ravel() for side in np.meshgrid(special[:7], special[:7]))
    fill = np.ones(512, dtype)
    xs = [np.concatenate([side, fill])[:512] for side in (x, y)]
    for name, reference in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide)):
        outs = tuple(np.empty(512, dtype) for _ in range(4))
        roundings_kernel[(1,)](tuple(xs), outs, NAME=name, BLOCK=512)
        for out in outs:
            assert same(out[:49], reference(x, y)), name
        zero = np.signbit(outs[2][:49]) & (outs[2][:49] == 0)
        cancels = (reference(x, y) == 0) & (name in ("add", "sub")) & ~((x == 0) & (y == 0))
        assert np.all(zero[cancels])  # downwards, a difference of equals is a negative zero


# --- conversions ----------------------------------------------------------------------------------------------
INTEGERS = {"int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}
WHOLE_IN = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}


@pytest.mark.parametrize("rounding", WHOLE_IN)
@pytest.mark.parametrize("short", INTEGERS)
def test_integers_and_floats(rng, device, short, rounding):
    integers = some(rng, np.dtype(INTEGERS[short]), SIZE)
    for name, dtype in (("float", F32), ("double", F64)):
        limits = np.iinfo(INTEGERS[short])
        x = some(rng, dtype, SIZE)
        x[:20] = np.linspace(-2.5, 2.5, 20)
        whole = np.where(np.isnan(x), 0, WHOLE_IN[rounding](x)).astype(np.longdouble)
        low, high = whole <= limits.min, whole >= np.longdouble(limits.max)
        expected = np.where(low | high, 0, whole).astype(INTEGERS[short])
        expected = np.where(low, limits.min, np.where(high, limits.max, expected)).astype(INTEGERS[short])
        assert same(run(f"{name}2{short}_{rounding}", x, dtype=INTEGERS[short]), expected)
        back = run(f"{short}2{name}_{rounding}", integers, dtype=dtype)
        exact = [round_fraction(Fraction(int(v)), dtype, rounding) if v else 0.0 for v in integers]
        assert back.tolist() == exact
        if device != "interpreter":  # which has wider integers in its code, to find what overflows
            assert kernel_type(f"{name}2{short}_{rounding}", dtype) == ("int64" if short.endswith("ll") else "int32")


def kernel_type(name, dtype):
    """The type of a function's result."""
    text = tw.compile(kernel, {"xs": ("*fp32" if dtype == F32 else "*fp64",), "out": "*fp32", "n": "i32", "NAME": name,
                               "BLOCK": 128}).asm["tile"]
    return "int64" if "tensor<128xi64>" in text else "int32"


@pytest.mark.parametrize("rounding", WHOLE_IN)
def test_fp64_to_fp32(rng, rounding):
    x = some(rng, F64, SIZE)
    expected = [round_fraction(Fraction(v), F32, rounding) if np.isfinite(v) and v else v for v in x.tolist()]
    assert same(run(f"double2float_{rounding}", x, dtype=F32), np.array(expected, np.float64).astype(F32))


# --- bits -------------------------------------------------------------------------------------------------
def reversed_bits(value, width):
    return int(f"{value:0{width}b}"[::-1], 2)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_bits(rng, dtype):
    dtype = np.dtype(dtype)
    width = 8 * dtype.itemsize
    x = some(rng, dtype, SIZE)
    patterns = [int(v) for v in x.view(f"u{dtype.itemsize}")]
    assert run("popc", x, dtype=np.int32).tolist() == [v.bit_count() for v in patterns]
    assert run("clz", x, dtype=np.int32).tolist() == [width - v.bit_length() for v in patterns]
    assert run("ffs", x, dtype=np.int32).tolist() == [(v & -v).bit_length() for v in patterns]
    assert run("brev", x).view(f"u{dtype.itemsize}").tolist() == [reversed_bits(v, width) for v in patterns]
    y = some(rng, dtype, SIZE)
    high = (x.astype(object) * y.astype(object)) >> width
    assert run("mulhi", x, y).tolist() == high.tolist()


@pytest.mark.parametrize("dtype", ["int32", "uint32"])
def test_sums_and_products_of_words(rng, dtype):
    x, y, z = (some(rng, np.dtype(dtype), SIZE) for _ in range(3))
    wide = [value.astype(np.int64) for value in (x, y, z)]
    assert same(run("hadd", x, y), ((wide[0] + wide[1]) >> 1).astype(dtype))
    assert same(run("rhadd", x, y), ((wide[0] + wide[1] + 1) >> 1).astype(dtype))
    assert same(run("sad", x, y, z.astype(np.uint32)), (np.abs(wide[0] - wide[1]) + wide[2]).astype(dtype))
    cut = [((value << 40) >> 40) if dtype == "int32" else value & 0xFFFFFF for value in wide]
    assert same(run("mul24", x, y), (cut[0] * cut[1]).astype(dtype))


def test_bytes_are_chosen(rng):
    x, y, s = (some(rng, np.dtype("int32"), SIZE) for _ in range(3))
    both = (y.view(np.uint32).astype(np.uint64) << np.uint64(32)) | x.view(np.uint32)
    expected = [sum((int(v) >> (8 * ((int(c) >> (4 * k)) & 7)) & 0xFF) << (8 * k) for k in range(4))
                for v, c in zip(both, s.view(np.uint32), strict=True)]
    assert run("byte_perm", x, y, s).view(np.uint32).tolist() == expected


def test_bits_of_floats(rng):
    x, d = some(rng, F32, SIZE), some(rng, F64, SIZE)
    words, longs = x.view(np.int32), d.view(np.int64)
    assert same(run("float_as_int", x, dtype=np.int32), words) and same(run("float_as_uint", x, dtype=np.int32), words)
    assert same(run("int_as_float", words, dtype=F32), x) and same(run("uint_as_float", words.view("u4"), dtype=F32), x)
    assert same(run("double_as_longlong", d, dtype=np.int64), longs)
    assert same(run("longlong_as_double", longs, dtype=F64), d)
    high, low = (longs >> 32).astype(np.int32), longs.astype(np.int32)
    assert same(run("double2hiint", d, dtype=np.int32), high) and same(run("double2loint", d, dtype=np.int32), low)
    assert same(run("hiloint2double", high, low, dtype=F64), d)
    assert np.allclose(run("rcp64h", np.abs(d[np.isfinite(d)]) + 1), 1 / (np.abs(d[np.isfinite(d)]) + 1), rtol=1e-6)


def test_names_under_vendors():
    assert tl.extra.cuda.libdevice is libdevice and tl.extra.hip.libdevice is libdevice
    assert all(getattr(libdevice, name).__doc__ for name in libdevice.__all__)
    assert len(set(libdevice.__all__)) == len(libdevice.__all__) > 190
