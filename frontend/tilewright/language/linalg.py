"""Matrix products."""

from __future__ import annotations

from math import prod
from typing import Any

from ..ast.builder import current
from ..ast.emit import emit
from ..ast.values import tensor
from ..errors import TileTypeError, list_names
from . import types as t
from .conversion import constant_like, convert, static, static_int
from .moving import cat
from .registry import builtin
from .shapes import require_block, reshape
from .types import block_type, describe, dtype

PRECISIONS = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")

# What a product of two elements may be summed in; the first is the default.
ACCUMULATORS: dict[dtype, tuple[dtype, ...]] = {
    t.int8: (t.int32,), t.uint8: (t.int32,), t.float16: (t.float32, t.float16), t.bfloat16: (t.float32,),
    t.float32: (t.float32,), t.float64: (t.float64,),
    **{each: (t.float32, t.float16) for each in t.FLOAT8},
}


def _check_operands(a: tensor, b: tensor) -> None:
    if a.dtype is not b.dtype and not (a.dtype.is_fp8() and b.dtype.is_fp8()):
        raise TileTypeError(f"dot: the operands must have one type, got {describe(a.type)} and {describe(b.type)}",
                            "convert one of them first: b.to(a.dtype)")
    if a.dtype not in ACCUMULATORS:
        raise TileTypeError(f"dot: operands of type {a.dtype} are not supported",
                            f"supported are {list_names(str(each) for each in ACCUMULATORS)}")
    if len(a.shape) != len(b.shape) or len(a.shape) < 2:
        raise TileTypeError(f"dot: the operands must both have two dimensions, or more with equal batches, got "
                            f"{describe(a.type)} and {describe(b.type)}")
    if a.shape[:-2] != b.shape[:-2]:
        raise TileTypeError(f"dot: the batches differ: {describe(a.type)} and {describe(b.type)}")
    if a.shape[-1] != b.shape[-2]:
        raise TileTypeError(f"dot: the columns of the first operand and the rows of the second differ: "
                            f"{describe(a.type)} and {describe(b.type)}",
                            "a product of MxK and KxN gives MxN; tl.trans exchanges rows and columns")


def _result_type(element: dtype, acc: tensor | None, out_dtype: Any) -> dtype:
    allowed = ACCUMULATORS[element]
    wanted = static(out_dtype, "dot: out_dtype")
    if wanted is None:
        wanted = acc.dtype if acc is not None and acc.dtype in allowed else allowed[0]
    if wanted not in allowed:
        raise TileTypeError(f"dot: products of {element} are summed in {list_names(str(each) for each in allowed)}, "
                            f"not in {wanted}", "convert the result: tl.dot(a, b).to(...)")
    return wanted


def _precision(element: dtype, input_precision: Any, allow_tf32: Any) -> str:
    """How fp32 operands are read."""
    precision, allow = static(input_precision, "dot: input_precision"), static(allow_tf32, "dot: allow_tf32")
    if precision is not None and allow is not None:
        raise TileTypeError("dot: give input_precision or allow_tf32, not both")
    if precision is None and allow is not None:
        precision = "tf32" if allow else "ieee"
    if precision is None:
        precision = current().options.input_precision
    if precision not in PRECISIONS:
        raise TileTypeError(f"dot: input_precision must be one of {list_names(PRECISIONS)}, got {precision!r}")
    return precision if element is t.float32 else "ieee"


@builtin
def dot(input: tensor, other: tensor, acc: Any = None, input_precision: str | None = None,
        allow_tf32: bool | None = None, max_num_imprecise_acc: int | None = None,
        out_dtype: dtype | None = None) -> tensor:
    """The matrix product ``input @ other + acc``.

    Args:
        input: A block of MxK, with batches before if any.
        other: A block of KxN of the same type; two 8-bit floats may differ.
        acc: A block of MxN of the result's type; zero without it.
        input_precision: How fp32 operands are read: ``"tf32"`` (the default), ``"tf32x3"``,
            ``"bf16x3"``, ``"bf16x6"`` or ``"ieee"``.
        allow_tf32: Another spelling of ``"tf32"`` and ``"ieee"``.
        max_num_imprecise_acc: Products of 8-bit floats, at most K, that may be summed less precisely,
            where the matrix unit rounds sums; by default all. Elsewhere a remark says that this has
            no effect.
        out_dtype: The result's type; by default fp32 for floats up to 32 bits, int32 for integers.
    """
    a, b = require_block(input, "dot"), require_block(other, "dot")
    _check_operands(a, b)
    acc = None if acc is None else require_block(acc, "dot: acc")
    element = _result_type(a.dtype, acc, out_dtype)
    shape = (*a.shape[:-1], b.shape[-1])
    if acc is not None and acc.type is not block_type(element, shape):
        raise TileTypeError(f"dot: the accumulator must be {describe(block_type(element, shape))}, "
                            f"got {describe(acc.type)}")
    session = current().session
    attributes: dict[str, Any] = {}
    precision = _precision(a.dtype, input_precision, allow_tf32)
    if precision != "ieee":
        attributes["precision"] = session.attribute(f"#tile<precision {precision}>")
    if a.dtype.is_int_unsigned():
        attributes["isUnsigned"] = session.unit
    imprecise = static(max_num_imprecise_acc, "dot: max_num_imprecise_acc")
    if imprecise:
        attributes["maxImpreciseAcc"] = session.integer(static_int(imprecise, "dot: max_num_imprecise_acc"))
    if len(a.shape) == 2 and (precision != "ieee" or a.dtype.primitive_bitwidth <= 16):
        a, b = _fill_up(a, b)
    return _product(a, b, acc, element, attributes)


def _fill_up(a: tensor, b: tensor) -> tuple[tensor, tensor]:
    """Operands with zeros behind an inner dimension that matrix instructions cannot be repeated over.

    They take 32 bytes of it at a time. On the CPU, which multiplies element by element,
    nothing is gained.
    """
    inner = a.shape[-1]
    missing = -inner % (32 // a.dtype.itemsize)
    if missing == 0 or current().options.target in ("", "cpu"):
        return a, b
    columns = constant_like(block_type(a.dtype, (a.shape[0], missing)), 0.0 if a.dtype.is_floating() else 0)
    rows = constant_like(block_type(b.dtype, (missing, b.shape[1])), 0.0 if b.dtype.is_floating() else 0)
    return cat(a, columns, dim=1), cat(b, rows, dim=0)


def _product(a: tensor, b: tensor, acc: tensor | None, element: dtype, attributes: dict[str, Any]) -> tensor:
    batches = a.shape[:-2]
    shape = (*a.shape[:-1], b.shape[-1])
    if len(batches) > 1:  # the operation has one batch dimension
        a, b = reshape(a, prod(batches), *a.shape[-2:]), reshape(b, prod(batches), *b.shape[-2:])
        acc = None if acc is None else reshape(acc, prod(batches), *shape[-2:])
        return reshape(_product(a, b, acc, element, attributes), *shape)
    type = block_type(element, shape)
    if acc is None:
        acc = constant_like(type, 0.0 if element.is_floating() else 0)
    return emit("tile.dot", [a, b, convert(acc, element)], type, attributes)
