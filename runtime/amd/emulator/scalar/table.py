"""Integer operations of the scalar unit, on Python's integers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from ..values.numeric import MASK32, sign_extend


class ScalarOperation(NamedTuple):
    """A scalar instruction.

    ``function`` takes unsigned sources and gives a result of any sign and size, which is cut to
    ``result`` bits. What becomes of scc: ``nonzero`` tests the result, ``flag`` means that the
    function gives (result, scc), empty leaves it.
    """

    sources: tuple[int, ...]
    result: int
    function: Callable[..., Any]
    scc: str = ""
    reads_scc: bool = False
    """Whether scc is a further source."""
    reads_destination: bool = False
    """Whether the destination is the first source."""


TABLE: dict[str, ScalarOperation] = {}


def _define(names: str, sources: tuple[int, ...], result: int, function: Callable[..., Any],
            scc: str = "", **flags: bool) -> None:  # fmt: skip
    for name in names.split():
        TABLE[name] = ScalarOperation(sources, result, function, scc, **flags)


def _overflows(value: int) -> bool:
    return not -(2**31) <= value < 2**31


def _signed_sum(a: int, b: int) -> tuple[int, bool]:
    return a + b, _overflows(sign_extend(a, 32) + sign_extend(b, 32))


def _signed_difference(a: int, b: int) -> tuple[int, bool]:
    return a - b, _overflows(sign_extend(a, 32) - sign_extend(b, 32))


def _define_arithmetic() -> None:
    two = (32, 32)
    _define("s_add_u32 s_add_co_u32", two, 32, lambda a, b: (a + b, a + b > MASK32), "flag")
    _define("s_sub_u32 s_sub_co_u32", two, 32, lambda a, b: (a - b, a < b), "flag")
    carry = lambda a, b, c: (a + b + c, a + b + c > MASK32)  # noqa: E731
    _define("s_addc_u32 s_add_co_ci_u32", two, 32, carry, "flag", reads_scc=True)
    borrow = lambda a, b, c: (a - b - c, a < b + c)  # noqa: E731
    _define("s_subb_u32 s_sub_co_ci_u32", two, 32, borrow, "flag", reads_scc=True)
    _define("s_add_i32 s_add_co_i32", two, 32, _signed_sum, "flag")
    _define("s_sub_i32 s_sub_co_i32", two, 32, _signed_difference, "flag")
    tied: dict[str, bool] = {"reads_destination": True}
    _define("s_addk_i32 s_addk_co_i32", two, 32, _signed_sum, "flag", **tied)
    _define("s_mulk_i32", two, 32, operator.mul, **tied)
    _define("s_mul_i32", two, 32, operator.mul)
    _define("s_mul_hi_u32", two, 32, lambda a, b: a * b >> 32)
    high = lambda a, b: sign_extend(a, 32) * sign_extend(b, 32) >> 32  # noqa: E731
    _define("s_mul_hi_i32", two, 32, high)
    wide = (64, 64)
    _define("s_add_nc_u64 s_add_u64", wide, 64, operator.add)
    _define("s_sub_nc_u64 s_sub_u64", wide, 64, operator.sub)
    _define("s_mul_u64", wide, 64, operator.mul)
    for shift in (1, 2, 3, 4):
        _define(f"s_lshl{shift}_add_u32", two, 32, _shifted_sum(shift), "flag")
    distance = lambda a, b: abs(sign_extend(a, 32) - sign_extend(b, 32))  # noqa: E731
    _define("s_absdiff_i32", two, 32, distance, "nonzero")
    _define("s_abs_i32", (32,), 32, lambda a: abs(sign_extend(a, 32)), "nonzero")


def _shifted_sum(shift: int) -> Callable[[int, int], tuple[int, bool]]:
    return lambda a, b: ((a << shift) + b, (a << shift) + b > MASK32)


LOGIC: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: ~(a ^ b),
    "andn1": lambda a, b: ~a & b,
    "orn1": lambda a, b: ~a | b,
    "andn2": lambda a, b: a & ~b,
    "orn2": lambda a, b: a | ~b,
}
"""Bitwise operations by name; results may be negative, of which the low bits count."""
for _new, _old in (
    ("and_not0", "andn1"),
    ("or_not0", "orn1"),
    ("and_not1", "andn2"),
    ("or_not1", "orn2"),
):
    LOGIC[_new] = LOGIC[_old]


def _define_bits(bits: int) -> None:
    one, two = (bits,), (bits, bits)
    for name, function in LOGIC.items():
        _define(f"s_{name}_b{bits}", two, bits, function, "nonzero")
    _define(f"s_not_b{bits}", one, bits, operator.invert, "nonzero")
    _define(f"s_mov_b{bits}", one, bits, lambda a: a)
    shift = (bits, 32)
    _define(f"s_lshl_b{bits}", shift, bits, lambda a, b: a << b % bits, "nonzero")
    _define(f"s_lshr_b{bits}", shift, bits, lambda a, b: a >> b % bits, "nonzero")
    arithmetic = lambda a, b: sign_extend(a, bits) >> b % bits  # noqa: E731
    _define(f"s_ashr_i{bits}", shift, bits, arithmetic, "nonzero")
    _define(f"s_bfe_u{bits}", shift, bits, lambda a, b: _field(a, b, bits)[0], "nonzero")
    _define(f"s_bfe_i{bits}", shift, bits, lambda a, b: _signed_field(a, b, bits), "nonzero")
    mask = lambda a, b: ((1 << a % bits) - 1) << b % bits  # noqa: E731
    _define(f"s_bfm_b{bits}", (32, 32), bits, mask)
    _define(f"s_brev_b{bits}", one, bits, lambda a: int(f"{a:0{bits}b}"[::-1], 2))
    _define(f"s_ff1_i32_b{bits} s_ctz_i32_b{bits}", one, 32, lambda a: (a & -a).bit_length() - 1)
    leading = lambda a: bits - a.bit_length() if a else -1  # noqa: E731
    _define(f"s_flbit_i32_b{bits} s_clz_i32_u{bits}", one, 32, leading)
    _define(f"s_bcnt1_i32_b{bits}", one, 32, int.bit_count, "nonzero")
    _define(f"s_bcnt0_i32_b{bits}", one, 32, lambda a: bits - a.bit_count(), "nonzero")
    for value in (0, 1):
        set_bit = _bit_setter(value, bits)
        _define(f"s_bitset{value}_b{bits}", (bits, 32), bits, set_bit, reads_destination=True)


def _field(value: int, position: int, bits: int) -> tuple[int, int]:
    """The bits that a packed offset and width select, and the width."""
    width = position >> 16 & 127
    return (value >> position % bits) & ((1 << width) - 1), width


def _signed_field(value: int, position: int, bits: int) -> int:
    field, width = _field(value, position, bits)
    return sign_extend(field, width) if width else 0


def _bit_setter(value: int, bits: int) -> Callable[[int, int], int]:
    return lambda old, position: (old & ~(1 << position % bits)) | value << position % bits


def _define_choices() -> None:
    two = (32, 32)
    _define("s_min_u32", two, 32, lambda a, b: (min(a, b), a < b), "flag")
    _define("s_max_u32", two, 32, lambda a, b: (max(a, b), a >= b), "flag")
    for name, choose, compare in (("min", min, operator.lt), ("max", max, operator.ge)):
        _define(f"s_{name}_i32", two, 32, _signed_choice(choose, compare), "flag")
    for bits in (32, 64):
        select = lambda a, b, scc: a if scc else b  # noqa: E731
        _define(f"s_cselect_b{bits}", (bits, bits), bits, select, reads_scc=True)
        keep = lambda old, new, scc: new if scc else old  # noqa: E731
        flags = {"reads_scc": True, "reads_destination": True}
        _define(f"s_cmov_b{bits}", (bits, bits), bits, keep, **flags)
    _define("s_cmovk_i32", two, 32, keep, **flags)


def _signed_choice(choose: Callable[..., int], compare: Callable[..., bool]) -> Callable[..., Any]:
    def compute(a: int, b: int) -> tuple[int, bool]:
        a, b = sign_extend(a, 32), sign_extend(b, 32)
        return choose(a, b), compare(a, b)

    return compute


def _define_rearrangements() -> None:
    _define("s_movk_i32", (32,), 32, lambda a: a)
    _define("s_sext_i32_i8", (32,), 32, lambda a: sign_extend(a & 0xFF, 8))
    _define("s_sext_i32_i16", (32,), 32, lambda a: sign_extend(a & 0xFFFF, 16))
    for name, first, second in (("ll", 0, 0), ("lh", 0, 16), ("hl", 16, 0), ("hh", 16, 16)):
        _define(f"s_pack_{name}_b32_b16", (32, 32), 32, _packer(first, second))


def _packer(first: int, second: int) -> Callable[[int, int], int]:
    return lambda a, b: (a >> first & 0xFFFF) | (b >> second & 0xFFFF) << 16


_define_arithmetic()
for _bits in (32, 64):
    _define_bits(_bits)
_define_choices()
_define_rearrangements()
