"""Every row of the table of math functions keeps its error, on inputs from everywhere."""

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from native import ROOT, Function, Library, compile_functions, ulp_errors

TABLE = ROOT / "compiler" / "transforms" / "ExpandMath" / "MathTable.def"
FLOATS = {32: ("f32", np.float32, np.float64), 64: ("f64", np.float64, np.longdouble)}


def read_rows() -> Iterator[tuple[str, int, float]]:
    for match in re.finditer(r"^TILE_MATH\((\w+), (\d+), ([\d.]+),", TABLE.read_text(), re.M):
        yield match[1], int(match[2]), float(match[3])


ROWS = list(read_rows())
# Exact values: numpy's in a wider type. The others are given here.
EXACT: dict[str, Callable[..., np.ndarray]] = {
    "rsqrt": lambda x: 1 / np.sqrt(x),
}


def exact(function: str) -> Callable[..., np.ndarray]:
    return EXACT.get(function) or getattr(np, function)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    functions = [
        Function(f"{function}{bits}", f"%y = math.{function} %x0 : $f{bits}", [f"f{bits}"], f"f{bits}")
        for function, bits, _ in ROWS
    ]
    return compile_functions(tmp_path_factory.mktemp("math"), functions, "tile-expand-math")


def sweep(dtype: type, count: int) -> np.ndarray:
    """Special values, any bits, and where functions bend: near 0 and 1, and up to overflow."""
    info = np.finfo(dtype)
    special = [0, 1, 0.5, 2, 3, info.max, info.tiny, info.smallest_subnormal, np.inf, np.nan]
    rng = np.random.default_rng()
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    return np.concatenate(
        [
            np.array(special + [-value for value in special], dtype),
            rng.integers(0, np.iinfo(unsigned).max, count, unsigned, endpoint=True).view(dtype),
            rng.normal(0, 1, count).astype(dtype),
            np.exp(rng.normal(0, 2, count)).astype(dtype),
            (1 + rng.normal(0, 1e-3, count)).astype(dtype),
            (np.log(np.longdouble(info.max)) * rng.uniform(-1.3, 1.3, count)).astype(dtype),
            (rng.integers(-300, 300, count) / 2).astype(dtype),
        ]
    )


@pytest.mark.parametrize(("function", "bits", "error"), ROWS, ids=[f"{row[0]}.f{row[1]}" for row in ROWS])
def test_error_is_within_the_table(library: Library, function: str, bits: int, error: float) -> None:
    _, dtype, wide = FLOATS[bits]
    x = sweep(dtype, 200_000 if bits == 32 else 30_000)
    got = library(f"{function}{bits}", dtype, x)
    with np.errstate(all="ignore"):
        want = exact(function)(x.astype(wide))
    errors = ulp_errors(got, want)
    worst = int(np.argmax(errors))
    assert errors[worst] <= error, f"{errors[worst]} ulp at {x[worst]!r}: {got[worst]!r} for {want[worst]!r}"
