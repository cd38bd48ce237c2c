"""Integer division and shifts have the stated result for all operands."""

import itertools

import numpy as np
import pytest
from native import Function, Library, compile_functions

WIDTHS = (8, 16, 32, 64)
DIVISIONS = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui")
SHIFTS = ("shli", "shrsi", "shrui")


@pytest.fixture(scope="module", params=[16, 1], ids=["vector", "scalar"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Library:
    functions = [
        Function(f"{op}{width}", f"%y = arith.{op} %x0, %x1 : $i{width}", [f"i{width}"] * 2, f"i{width}")
        for op in DIVISIONS + SHIFTS
        for width in WIDTHS
    ]
    folder = tmp_path_factory.mktemp("guard")
    return compile_functions(folder, functions, "tile-guard-arithmetic", lanes=request.param)


def operands(width: int) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of edge cases, all pairs of 8-bit integers, and random ones."""
    dtype = np.dtype(f"int{width}")
    info = np.iinfo(dtype)
    if width == 8:
        edges = list(range(-128, 128))
    else:
        edges = [0, 1, -1, 2, -2, 7, -7, width - 1, width, width + 1, -width]
        edges += [info.min, info.min + 1, info.max]
    pairs = np.array(list(itertools.product(edges, edges)), dtype)
    rng = np.random.default_rng()
    random = rng.integers(info.min, info.max, (2000, 2), dtype, endpoint=True)
    random[:, 1] >>= rng.integers(0, width, 2000).astype(dtype)
    return tuple(np.concatenate([pairs, random]).T.copy())


def divide(op: str, x: int, d: int, least: int) -> int:
    """The definition in Python's integers of unbounded size."""
    if d == 0 or (op.endswith("si") and d == -1 and x == least):
        d = 1
    floor, rest = divmod(x, d)
    truncated = floor + (rest != 0 and (x < 0) != (d < 0))
    kind = op[:-2]
    if kind == "div":
        return truncated
    if kind == "rem":
        return x - truncated * d
    return floor if kind == "floordiv" else floor + (rest != 0)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", DIVISIONS)
def test_division_is_total(library: Library, op: str, width: int) -> None:
    x, d = operands(width)
    got = library(f"{op}{width}", x.dtype, x, d)
    kind = f"int{width}" if op.endswith("si") else f"uint{width}"
    xs, ds = x.view(kind).tolist(), d.view(kind).tolist()
    want = [divide(op, a, b, -(1 << (width - 1))) for a, b in zip(xs, ds, strict=True)]
    np.testing.assert_array_equal(got.view(kind), np.array(want, kind))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", SHIFTS)
def test_shift_amounts_are_modulo_the_width(library: Library, op: str, width: int) -> None:
    x, amount = operands(width)
    got = library(f"{op}{width}", x.dtype, x, amount)
    kind = f"uint{width}" if op == "shrui" else f"int{width}"
    by = (amount & (width - 1)).astype(kind)
    values = x.view(kind)
    np.testing.assert_array_equal(got.view(kind), values << by if op == "shli" else values >> by)
