"""Types of results: the table against the rules that it states, for all pairs and for numbers."""

import itertools

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.language import types as t
from tilewright.language.promotion import result_type, result_with_number

PAIRS = list(itertools.product(t.NUMBERS, t.NUMBERS))


def by_rules(a, b):
    """The promotion rules in order, written independently of the table."""
    if t.float64 in (a, b):
        return t.float64
    floats = [x for x in (a, b) if x.is_floating()]
    if floats and len(floats) < 2 and floats[0].is_fp8():
        return None
    if t.float32 in (a, b):
        return t.float32
    if t.float16 in (a, b):
        return t.float16
    if t.bfloat16 in (a, b):
        return t.bfloat16 if a is b else t.float32
    if floats:
        return a if a is b else t.float16
    rank = {x: (x.primitive_bitwidth, x.is_int_unsigned()) for x in (a, b)}
    return max((a, b), key=rank.__getitem__)


@pytest.mark.parametrize("a, b", PAIRS, ids=lambda x: x.name)
def test_table_follows_the_rules(a, b):
    assert result_type(a, b) is by_rules(a, b)


@pytest.mark.parametrize("a, b", PAIRS, ids=lambda x: x.name)
def test_division_of_narrow_floats_gives_fp32(a, b):
    plain = result_type(a, b)
    narrow = plain is not None and plain.is_floating() and plain is not t.float64
    assert result_type(a, b, division=True) is (t.float32 if narrow else plain)


# Measured results of `x + y`, the upper triangle of a symmetric table.
MEASURED = """
i1   i1 i8 i16 i32 i64 u8 u32 -    fp16 fp32 fp32 fp64
i8      i8 i16 i32 i64 u8 u32 -    fp16 fp32 fp32 fp64
i16        i16 i32 i64 i16 u32 -   fp16 fp32 fp32 fp64
i32            i32 i64 i32 u32 -   fp16 fp32 fp32 fp64
i64                i64 i64 i64 -   fp16 fp32 fp32 fp64
u8                     u8 u32 -    fp16 fp32 fp32 fp64
u32                       u32 -    fp16 fp32 fp32 fp64
fp8e5                         fp8e5 fp16 fp32 fp32 fp64
fp16                               fp16 fp16 fp32 fp64
bf16                                    bf16 fp32 fp64
"""


def test_measured_results():
    names = ["i1", "i8", "i16", "i32", "i64", "u8", "u32", "fp8e5", "fp16", "bf16", "fp32", "fp64"]
    for line in MEASURED.strip().splitlines():
        row, *cells = line.split()
        for column, cell in zip(names[names.index(row):], cells, strict=True):
            found = result_type(t.SPELLINGS[row], t.SPELLINGS[column])
            assert found is (None if cell == "-" else t.SPELLINGS[cell]), (row, column)


NUMBERS = [(t.int1, 1, "i32"), (t.int1, 2**31, "u32"), (t.int1, 2**33, "i64"), (t.int1, 2**63, "u64"),
           (t.int1, True, "i1"), (t.int8, 1, "i8"), (t.int8, True, "i8"), (t.uint64, 1, "u64"),
           *[(x, 0.5, "fp32") for x in t.NUMBERS if x.is_int()],
           *[(x, 1e300, "fp64") for x in t.NUMBERS if x.is_int()],
           *[(x, 1e-45, "fp64") for x in t.NUMBERS if x.is_int()],
           *[(x, number, x.short) for x in t.NUMBERS if x.is_floating() for number in (True, 3, 0.5, 1e300)]]


@pytest.mark.parametrize("dtype, number, expected", NUMBERS)
def test_a_number_of_no_higher_kind_takes_the_type(dtype, number, expected):
    assert result_with_number(dtype, number) is t.SPELLINGS[expected]


def test_division_by_a_number_gives_fp32_of_narrow_floats():
    assert result_with_number(t.float16, 2.0, division=True) is t.float32
    assert result_with_number(t.float64, 2.0, division=True) is t.float64


@tw.jit
def assigned_number(x, out):
    scale = 0.5
    one = 1
    tl.static_assert((tl.load(x) * 0.5).dtype == tl.float16)
    tl.static_assert((tl.load(x) * scale).dtype == tl.float32)
    tl.static_assert((tl.load(x).to(tl.int8) + 1).dtype == tl.int8)
    tl.static_assert((tl.load(x).to(tl.int8) + one).dtype == tl.int32)
    tl.store(out + tl.arange(0, one + 7), 1.0)


def test_an_assigned_number_has_a_type_and_stays_a_constant(lower):
    assert "tile.arange 0 : tensor<8xi32>" in lower(assigned_number, x="*fp16", out="*fp32")


@tw.jit
def divisions(x, y, out):
    a, b = tl.load(x), tl.load(y)
    tl.static_assert((a / b).dtype == tl.float32)
    tl.static_assert((a // b).dtype == a.dtype)
    tl.static_assert(-7 // 2 == -4)
    tl.static_assert(-7 % 2 == 1)
    seven = -7
    tl.static_assert(seven // 2 == -3)
    tl.static_assert(seven % 2 == -1)
    tl.store(out, a / b)


@pytest.mark.parametrize("dtype", ["i8", "i32", "i64", "u32"])
def test_division_of_integers(lower, dtype):
    text = lower(divisions, x=f"*{dtype}", y=f"*{dtype}", out="*fp32")
    assert "arith.divf" in text and ("arith.divui" if dtype == "u32" else "arith.divsi") in text
