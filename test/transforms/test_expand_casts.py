"""Float conversions and arithmetic on narrow floats are exact, for machines that have none of them."""

import re
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest
from native import Function, Library, compile_functions

PASSES = "tile-expand-casts,canonicalize"
ROUNDINGS = ("rtne", "rtz")


@dataclass(frozen=True)
class Narrow:
    """A narrow float: its type in memory and what is beyond its largest finite code."""

    dtype: type
    largest: int
    bits: int = 8
    saturates: bool = True
    nan_for_infinity: bool = False

    @property
    def values(self) -> np.ndarray:
        """The finite magnitudes by code, in f64."""
        return np.arange(self.largest + 1, dtype=f"u{self.bits // 8}").view(self.dtype).astype(np.float64)

    @property
    def codes(self) -> np.ndarray:
        """All values."""
        return np.arange(1 << self.bits, dtype=np.uint32).astype(f"u{self.bits // 8}").view(self.dtype)


NARROW = {
    "f16": Narrow(np.float16, 0x7BFF, 16, False),
    "bf16": Narrow(ml_dtypes.bfloat16, 0x7F7F, 16, False),
    "f8E5M2": Narrow(ml_dtypes.float8_e5m2, 0x7B),
    "f8E4M3FN": Narrow(ml_dtypes.float8_e4m3fn, 0x7E),
    "f8E5M2FNUZ": Narrow(ml_dtypes.float8_e5m2fnuz, 0x7F, nan_for_infinity=True),
    "f8E4M3FNUZ": Narrow(ml_dtypes.float8_e4m3fnuz, 0x7F, nan_for_infinity=True),
}
DTYPES = {"f32": np.float32, "f64": np.float64} | {name: narrow.dtype for name, narrow in NARROW.items()}
CASTS = [
    (source, to, rounding)
    for source in DTYPES
    for to in DTYPES
    if source != to
    for rounding in ROUNDINGS
    if rounding == "rtne" or to in NARROW or (source, to) == ("f64", "f32")
]


def memory(element: str) -> str:
    return "i8" if element.startswith("f8") else element


def cast_function(source: str, to: str, rounding: str) -> Function:
    """A `tile.cast` with 8-bit floats passed through memory as integers."""
    lines = []
    value = "%x0"
    if source.startswith("f8"):
        lines.append(f"%in = arith.bitcast %x0 : i8 to {source}")
        value = "%in"
    result = "%out" if to.startswith("f8") else "%y"
    lines.append(f"{result} = tile.cast {value} rounding {rounding} : {source} -> {to}")
    if to.startswith("f8"):
        lines.append(f"%y = arith.bitcast %out : {to} to i8")
    return Function(f"{source}_{to}_{rounding}", "\n".join(lines), [memory(source)], memory(to))


@pytest.fixture(scope="module")
def casts(tmp_path_factory: pytest.TempPathFactory) -> Library:
    functions = [cast_function(*each) for each in CASTS]
    return compile_functions(tmp_path_factory.mktemp("casts"), functions, PASSES, lanes=1)


def round_to(x: np.ndarray, to: Narrow, rounding: str) -> np.ndarray:
    """The codes of f64 values, by search among all values of the type."""
    magnitude = np.abs(x).astype(np.longdouble)
    values = to.values.astype(np.longdouble)
    above = np.append(values, 2 * values[-1] - values[-2])[1:]
    finite = np.where(np.isfinite(magnitude), magnitude, values[-1])
    code = np.searchsorted(values, finite, side="right") - 1
    if rounding == "rtne":
        down, up = finite - values[code], above[code] - finite
        code = code + ((up < down) | ((up == down) & (code % 2 == 1)))
        limit = to.largest if to.saturates else to.largest + 1
        code = np.minimum(code, limit)
    infinite = np.isinf(magnitude)
    code = np.where(infinite, to.largest if to.saturates else to.largest + 1, code)
    sign = np.signbit(x) & ~(to.nan_for_infinity & (code == 0))
    result = (code | (sign.astype(np.int64) << (to.bits - 1))).astype(f"u{to.bits // 8}").view(to.dtype)
    return np.where(np.isnan(x) | (infinite & to.nan_for_infinity), to.dtype(np.nan), result)


def sources(source: str, to: str) -> np.ndarray:
    """All values of a narrow type; of a wide one, any bits and what is around each tie."""
    if source in NARROW:
        return NARROW[source].codes
    dtype = DTYPES[source]
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    rng = np.random.default_rng()
    any_bits = rng.integers(0, np.iinfo(unsigned).max, 50_000, unsigned, endpoint=True).view(dtype)
    special = np.array([0, np.inf, np.nan, np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max], dtype)
    single = rng.normal(0, 1, 20_000).astype(np.float32)
    values = NARROW[to].values if to in NARROW else single.astype(np.float64)
    beyond = [2 * values[-1] - values[-2], values[-1] * 1.5]
    ties = np.concatenate([values, (values[1:] + values[:-1]) / 2, beyond])
    with np.errstate(over="ignore"):
        ties = ties.astype(dtype)
    around = np.concatenate([ties, np.nextafter(ties, dtype(np.inf)), np.nextafter(ties, dtype(-np.inf))])
    spread = rng.uniform(-1.1, 1.1, 20_000) * min(values.max(), 1e30)
    near = np.concatenate([special, around, spread.astype(dtype)])
    return np.concatenate([any_bits, near, -near])


def assert_same(got: np.ndarray, want: np.ndarray, x: np.ndarray) -> None:
    """Equal bits; one NaN is as good as another."""
    bits = f"u{got.dtype.itemsize}"
    with np.errstate(invalid="ignore"):
        both_nan = np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64))
    wrong = np.flatnonzero((got.view(bits) != want.view(bits)) & ~both_nan)
    first = [f"{each[wrong[0]]!r}" for each in (x, got, want)] if len(wrong) else []
    assert not len(wrong), f"{len(wrong)} differ; the first, its result, what it should be: {first}"


@pytest.mark.parametrize(("source", "to", "rounding"), CASTS, ids=["-".join(each) for each in CASTS])
def test_cast_is_exact(casts: Library, source: str, to: str, rounding: str) -> None:
    x = sources(source, to)
    bits = "u1" if source.startswith("f8") else x.dtype
    got = casts(f"{source}_{to}_{rounding}", np.uint8 if to.startswith("f8") else DTYPES[to], x.view(bits))
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        if to in NARROW:
            want = round_to(wide, NARROW[to], rounding)
        else:
            want = wide.astype(DTYPES[to])
            if rounding == "rtz":
                grown = np.abs(want.astype(np.float64)) > np.abs(wide)
                want = np.where(grown, np.nextafter(want, np.float32(0)), want)
    assert_same(got.view(DTYPES[to]), want, x)


ARITHMETIC = {
    "addf": np.add,
    "subf": np.subtract,
    "mulf": np.multiply,
    "divf": np.divide,
    "maxnumf": np.fmax,
    "minimumf": np.minimum,
}
HALVES = ("f16", "bf16")
INTEGERS = [(sign, width) for sign in "su" for width in (8, 16, 32, 64)]


@pytest.fixture(scope="module")
def arithmetic(tmp_path_factory: pytest.TempPathFactory) -> Library:
    functions = [
        Function(f"{op}_{half}", f"%y = arith.{op} %x0, %x1 : ${half}", [half, half], half)
        for op in ARITHMETIC
        for half in HALVES
    ] + [
        Function(
            f"{sign}{width}_{half}",
            f"%y = arith.{sign}itofp %x0 : $i{width} to ${half}",
            [f"i{width}"],
            half,
        )
        for sign, width in INTEGERS
        for half in HALVES
    ]
    return compile_functions(tmp_path_factory.mktemp("arithmetic"), functions, PASSES)


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("op", ARITHMETIC)
def test_narrow_arithmetic_rounds_once(arithmetic: Library, op: str, half: str) -> None:
    x, y = np.random.default_rng().integers(0, 1 << 16, (2, 200_000), np.uint16).view(DTYPES[half])
    got = arithmetic(f"{op}_{half}", DTYPES[half], x, y)
    with np.errstate(all="ignore"):
        exact = ARITHMETIC[op](x.astype(np.float64), y.astype(np.float64))
        want = round_to(exact, NARROW[half], "rtne")
    assert_same(got + DTYPES[half](0), want + DTYPES[half](0), x)


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize(("sign", "width"), INTEGERS, ids=[f"{sign}{width}" for sign, width in INTEGERS])
def test_integers_round_once(arithmetic: Library, sign: str, width: int, half: str) -> None:
    dtype = np.dtype(f"int{width}" if sign == "s" else f"uint{width}")
    info = np.iinfo(dtype)
    rng = np.random.default_rng()
    x = rng.integers(info.min, info.max, 20_000, dtype, endpoint=True)
    x >>= rng.integers(0, width, len(x)).astype(dtype)
    ties = NARROW[half].values
    ties = np.unique((ties[1:] + ties[:-1]) / 2)
    ties = ties[(ties < info.max / 2) & (ties == np.floor(ties))].astype(dtype)
    ends = np.array([info.min, info.max], dtype)
    x = np.concatenate([x, ties, ties + dtype.type(1), ties - dtype.type(1), ends])
    got = arithmetic(f"{sign}{width}_{half}", DTYPES[half], x)
    # An integer of 64 bits is exact in numpy's widest float.
    assert_same(got, round_to(x.astype(np.longdouble), NARROW[half], "rtne"), x)


# --- small integers, on machines whose conversions are dear ----------------------------------------------
SMALL = {
    # name: (input, body up to %z, what is converted, of which type, signed)
    "byte": ("i8", "%z = arith.addi %x0, %c0 : $i8", lambda x: x, "i8", "s"),
    "unsigned_byte": ("i8", "%z = arith.addi %x0, %c0 : $i8", lambda x: x.view(np.uint8), "i8", "u"),
    "low_bits": ("i32", "%z = arith.andi %x0, %c127 : $i32", lambda x: x & 127, "i32", "s"),
    "high_bits": ("i8", "%z = arith.shrui %x0, %c4 : $i8", lambda x: x.view(np.uint8) >> 4, "i8", "u"),
    "differences": (
        "i32",
        "%m = arith.andi %x0, %c15 : $i32\n%s = arith.shrsi %x0, %c4 : $i32\n%t = arith.andi %s, %c63 : $i32\n"
        "%z = arith.subi %m, %t : $i32",
        lambda x: (x & 15) - (x >> 4 & 63),
        "i32",
        "s",
    ),
    "wide": ("i64", "%z = arith.andi %x0, %c1023 : $i64", lambda x: x & 1023, "i64", "s"),
    "too_wide": ("i32", "%z = arith.andi %x0, %c4095 : $i32", lambda x: x & 4095, "i32", "s"),
    "any": ("i32", "%z = arith.muli %x0, %c65537 : $i32", lambda x: x * np.int32(65537), "i32", "s"),
    "any_unsigned": ("i32", "%z = arith.muli %x0, %c9 : $i32", lambda x: (x * np.int32(9)).view(np.uint32), "i32", "u"),
    "wraps": ("i8", "%z = arith.addi %x0, %c100 : $i8", lambda x: (x + np.int8(100)).astype(np.int8), "i8", "s"),
}


def small_function(name: str, half: str) -> Function:
    element, body, _, source, sign = SMALL[name]
    numbers = sorted({int(digits) for digits in re.findall(r"%c(\d+)", body)})
    constants = [f"%c{n} = arith.constant dense<{n}> : $VEC" for n in numbers]
    text = "\n".join([*constants, body, f"%y = arith.{sign}itofp %z : ${source} to ${half}"])
    return Function(f"{name}_{half}", text.replace("$VEC", f"vector<16x{element}>"), [element], half)


@pytest.fixture(scope="module")
def small_integers(tmp_path_factory: pytest.TempPathFactory) -> Library:
    facts = (
        'lanes = 1 : i32, native_casts = ["f16:f32", "f32:f16", "bf16:f32", "f32:bf16"], '
        'native_arithmetic = ["f16", "bf16"], dear_int_casts = 1 : i32'
    )
    functions = [small_function(name, half) for name in SMALL for half in HALVES]
    return compile_functions(tmp_path_factory.mktemp("small"), functions, PASSES, facts=facts)


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", SMALL)
def test_small_integers(small_integers: Library, name: str, half: str) -> None:
    element, _, compute, _, _ = SMALL[name]
    dtype = np.dtype(f"int{element[1:]}")
    x = np.arange(-(1 << 15), 1 << 15).astype(dtype)
    with np.errstate(over="ignore"):
        exact = compute(x)
        want = round_to(exact.astype(np.float64), NARROW[half], "rtne")
    assert_same(small_integers(f"{name}_{half}", DTYPES[half], x), want, x)
