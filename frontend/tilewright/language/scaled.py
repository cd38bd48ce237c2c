"""Products of blocks in small float formats with a scale for each group of elements.

No target's list of matmul units has block-scaled products yet, so the operands are
widened, scaled and multiplied by `dot`: one definition for all targets, which loads,
layouts and pipelining see as any other arithmetic.
"""

from __future__ import annotations

from typing import Any

from ..ast.values import tensor
from ..errors import TileTypeError, list_names
from . import types as t
from .arithmetic import and_, compare, mul, or_, shl, where
from .conversion import cast, convert, describe_value, require_dtype, static
from .linalg import dot
from .moving import unpack_nibbles
from .registry import builtin
from .shapes import broadcast_to, expand_dims, require_block, reshape, trans
from .types import block_type, describe, dtype

# What an operand of a format holds, and the integers that may stand for it bit by bit.
FORMATS: dict[str, tuple[dtype, ...]] = {
    "e2m1": (t.uint8,),
    "e4m3": (t.float8e4nv, t.uint8),
    "e5m2": (t.float8e5, t.uint8),
    "bf16": (t.bfloat16, t.uint16),
    "fp16": (t.float16, t.uint16),
}
GROUPS = (16, 32)


def _constant(x: tensor, value: int) -> tensor:
    return tensor(None, x.dtype, value)


def _decode_e2m1(x: tensor) -> tensor:
    """Half bytes of a sign, two bits of exponent and one of mantissa, as fp32.

    Moved to the top of an fp16, exponent and mantissa mean 2**-14 times their value.
    """
    wide = convert(x, t.uint16)
    sign = shl(and_(wide, _constant(wide, 8)), _constant(wide, 12))
    rest = shl(and_(wide, _constant(wide, 7)), _constant(wide, 9))
    half = cast(or_(sign, rest), t.float16, bitcast=True)
    return mul(convert(half, t.float32), tensor(None, t.float32, 16384.0))


def _operand(x: Any, format: Any, k_pack: Any, k: int, what: str) -> tuple[tensor, str]:
    """An operand with one element a place, half bytes unpacked. ``k`` is its inner dimension."""
    x = require_block(x, f"dot_scaled: {what}")
    format = static(format, f"dot_scaled: {what}_format")
    if format not in FORMATS:
        raise TileTypeError(f"dot_scaled: {what}_format must be one of {list_names(FORMATS)}, got {format!r}")
    allowed = FORMATS[format]
    if x.dtype not in allowed:
        raise TileTypeError(f"dot_scaled: {what} of format {format} must be of type "
                            f"{' or '.join(map(str, allowed))}, got {describe(x.type)}")
    if len(x.shape) not in (2, 3):
        raise TileTypeError(f"dot_scaled: {what} must have two dimensions, or three with a batch, got "
                            f"{describe(x.type)}")
    if format == "e2m1":
        along_k = bool(static(k_pack, f"dot_scaled: {what}_k_pack"))
        rank = len(x.shape)
        outer = rank - 1 if k == rank - 2 else rank - 2
        return unpack_nibbles(x, k if along_k else outer), format
    return (x if x.dtype is allowed[0] else cast(x, allowed[0], bitcast=True)), format


def _scale_value(scale: tensor, fast_math: bool) -> tensor:
    """A scale as fp32: a float, or a byte e that stands for 2**(e - 127), NaN if 255."""
    if scale.dtype.is_fp8():
        return convert(scale, t.float32)
    wide = convert(scale, t.int32)
    bits = shl(wide, _constant(wide, 23))
    # 2**-127 has no exponent of its own.
    bits = where(compare("==", wide, _constant(wide, 0)), tensor(None, t.int32, 0x00400000), bits)
    if not fast_math:
        bits = where(compare("==", wide, _constant(wide, 255)), tensor(None, t.int32, 0x7FC00000), bits)
    return cast(bits, t.float32, bitcast=True)


def _check_scale(scale: tensor, rows: tuple[int, ...], inner: int, what: str) -> int:
    """The size of a group."""
    if scale.dtype not in (t.uint8, t.int8, t.float8e4nv):
        raise TileTypeError(f"dot_scaled: {what}_scale must be of type uint8 or fp8e4nv, got {describe(scale.type)}")
    groups = scale.shape[-1]
    if scale.shape[:-1] != rows or inner % groups != 0 or inner // groups not in GROUPS:
        want = " or ".join("x".join(map(str, (*rows, inner // group))) for group in GROUPS if inner % group == 0)
        raise TileTypeError(f"dot_scaled: {what}_scale must be a block of {want}, got {describe(scale.type)}",
                            "there is one scale for 32 (or 16) elements of the inner dimension, for each row of lhs "
                            "and each column of rhs")
    return inner // groups


def _scaled(x: tensor, format: str, scale: Any, is_rhs: bool, to: dtype, fast_math: bool) -> tensor:
    """An operand as what is multiplied."""
    what = "rhs" if is_rhs else "lhs"
    wide = _decode_e2m1(x) if format == "e2m1" else x
    if scale is None:
        return convert(wide, to)
    scale = require_block(scale, f"dot_scaled: {what}_scale")
    if is_rhs:
        wide = trans(wide)  # scales lie along the inner dimension, which is then the last one
    *rows, inner = wide.shape
    group = _check_scale(scale, tuple(rows), inner, what)
    if scale.dtype is t.int8:
        scale = cast(scale, t.uint8)
    factor = expand_dims(_scale_value(scale, fast_math), -1)
    factor = reshape(broadcast_to(factor, *scale.shape, group), *wide.shape)
    product = convert(mul(convert(wide, t.float32), factor), to)
    return trans(product) if is_rhs else product


def _compute_type(formats: tuple[str, str]) -> dtype:
    """What holds both operands: fp16 and bf16 together fit fp32 alone."""
    if "fp16" not in formats:
        return t.bfloat16
    return t.float32 if "bf16" in formats else t.float16


@builtin
def dot_scaled(lhs: tensor, lhs_scale: Any, lhs_format: str, rhs: tensor, rhs_scale: Any, rhs_format: str,
               acc: Any = None, fast_math: bool = False, lhs_k_pack: bool = True, rhs_k_pack: bool = True,
               out_dtype: dtype = t.float32) -> tensor:
    """The matrix product of scaled blocks: ``(lhs * lhs_scale) @ (rhs * rhs_scale) + acc``.

    Products are of bf16 (fp16 where an operand is fp16): scaled elements are rounded to it.

    Args:
        lhs: A block of MxK, with a batch before if any.
        lhs_scale: A block of MxK/32 bytes that stand for powers of two, 2**(e - 127), 255 for
            NaN; or of MxK/16 fp8e4nv; None for no scale.
        lhs_format: ``"e2m1"`` (two in a uint8), ``"e4m3"``, ``"e5m2"``, ``"bf16"`` or ``"fp16"``.
        rhs: A block of KxN.
        rhs_scale: As ``lhs_scale``, NxK/32.
        rhs_format: As ``lhs_format``.
        acc: A block of MxN of the result's type; zero without it.
        fast_math: Whether the scale 255 need not give NaN.
        lhs_k_pack: Whether two e2m1 elements in a byte are neighbours along K, else along M.
        rhs_k_pack: The same along K or N.
        out_dtype: The result's type: fp32, fp16 or bf16.
    """
    out = require_dtype(out_dtype, "dot_scaled").scalar
    if out not in (t.float32, t.float16, t.bfloat16):
        raise TileTypeError(f"dot_scaled: out_dtype must be fp32, fp16 or bf16, got {out}")
    rank = len(require_block(lhs, "dot_scaled: lhs").shape)
    a, a_format = _operand(lhs, lhs_format, lhs_k_pack, rank - 1, "lhs")
    b, b_format = _operand(rhs, rhs_format, rhs_k_pack, rank - 2, "rhs")
    if a.shape[:-2] != b.shape[:-2] or len(a.shape) != len(b.shape) or a.shape[-1] != b.shape[-2]:
        raise TileTypeError(f"dot_scaled: the columns of lhs and the rows of rhs differ: {describe(a.type)} and "
                            f"{describe(b.type)}", "elements of e2m1 count one by one, two in each byte")
    fast = bool(static(fast_math, "dot_scaled: fast_math"))
    to = _compute_type((a_format, b_format))
    a = _scaled(a, a_format, lhs_scale, False, to, fast)
    b = _scaled(b, b_format, rhs_scale, True, to, fast)
    type = block_type(out, (*a.shape[:-1], b.shape[-1]))
    if acc is not None and (not isinstance(acc, tensor) or acc.type is not type):
        raise TileTypeError(f"dot_scaled: the accumulator must be {describe(type)}, got {describe_value(acc)}")
    total = None if acc is None else convert(acc, t.float32)
    return convert(dot(a, b, total, out_dtype=t.float32), out)
