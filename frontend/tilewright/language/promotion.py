"""Which type the result of an operation on two values has: one table."""

from __future__ import annotations

from . import types as t
from .types import SPELLINGS, Kind, dtype, type_of_number

# Row and column are the operands' types, in either order. `fp8` stands for each
# 8-bit float; `-` is an error.
_TABLE = """
      i1   i8   i16  i32  i64  u8   u16  u32  u64  fp8  fp16 bf16 fp32 fp64
i1    i1   i8   i16  i32  i64  u8   u16  u32  u64  -    fp16 fp32 fp32 fp64
i8    .    i8   i16  i32  i64  u8   u16  u32  u64  -    fp16 fp32 fp32 fp64
i16   .    .    i16  i32  i64  i16  u16  u32  u64  -    fp16 fp32 fp32 fp64
i32   .    .    .    i32  i64  i32  i32  u32  u64  -    fp16 fp32 fp32 fp64
i64   .    .    .    .    i64  i64  i64  i64  u64  -    fp16 fp32 fp32 fp64
u8    .    .    .    .    .    u8   u16  u32  u64  -    fp16 fp32 fp32 fp64
u16   .    .    .    .    .    .    u16  u32  u64  -    fp16 fp32 fp32 fp64
u32   .    .    .    .    .    .    .    u32  u64  -    fp16 fp32 fp32 fp64
u64   .    .    .    .    .    .    .    .    u64  -    fp16 fp32 fp32 fp64
fp8   .    .    .    .    .    .    .    .    .    fp16 fp16 fp32 fp32 fp64
fp16  .    .    .    .    .    .    .    .    .    .    fp16 fp16 fp32 fp64
bf16  .    .    .    .    .    .    .    .    .    .    .    bf16 fp32 fp64
fp32  .    .    .    .    .    .    .    .    .    .    .    .    fp32 fp64
fp64  .    .    .    .    .    .    .    .    .    .    .    .    .    fp64
"""


def _expand(name: str) -> tuple[dtype, ...]:
    return t.FLOAT8 if name == "fp8" else (SPELLINGS[name],)


def _read_table() -> dict[tuple[dtype, dtype], dtype | None]:
    header, *rows = (line.split() for line in _TABLE.strip().splitlines())
    table: dict[tuple[dtype, dtype], dtype | None] = {}
    for row, *cells in rows:
        for column, cell in zip(header, cells, strict=True):
            if cell == ".":
                continue
            result = None if cell == "-" else SPELLINGS[cell]
            for a in _expand(row):
                for b in _expand(column):
                    table[a, b] = table[b, a] = a if a is b and a.is_fp8() else result
    return table


RESULTS = _read_table()


def result_type(a: dtype, b: dtype, division: bool = False) -> dtype | None:
    """The type of ``a op b`` for two values; None where they do not mix.

    ``division``: of floats narrower than fp64, ``/`` and ``%`` give fp32.
    """
    result = RESULTS.get((a, b))
    if division and result is not None and result.is_floating() and result is not t.float64:
        return t.float32
    return result


def result_with_number(a: dtype, number: bool | int | float, division: bool = False) -> dtype | None:
    """The type of ``a op number``: a number of no higher kind takes the value's type."""
    kind = Kind.BOOLEAN if isinstance(number, bool) else (
        Kind.INTEGRAL if isinstance(number, int) else Kind.FLOATING)
    if kind.value > a.kind().value:
        return result_type(a, type_of_number(number), division)
    if division and a.is_floating() and a is not t.float64:
        return t.float32
    return a
