"""How functions of floats are written: operands, precision, and arithmetic that is what it says.

A function is a formula on values of fp64, or of the operands' own type where it is fp32 or wider.
Its sums and products are never fused behind its back: what fuses says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from typing import Any

from ....ast.builder import current
from ....ast.emit import emit
from ....ast.values import is_number, tensor
from ....errors import TileTypeError
from ...arithmetic import promote
from ...conversion import broadcast_together, cast, constant_like, convert, describe_value, to_tensor
from ...promotion import result_type
from ...registry import builtin
from ...types import dtype, float32, float64, int32, int64, like, uint32, uint64

Formula = Callable[..., Any]


# --- operands ---------------------------------------------------------------------------------------
def floats(name: str, *operands: Any) -> list[tensor]:
    """Operands of one float type and shape."""
    values = [to_tensor(operand) for operand in operands]
    for value in values:
        if not value.dtype.is_floating():
            raise TileTypeError(f"{name}: expects floats, got {describe_value(value)}",
                                "convert first: x.to(tl.float32)")
    type = reduce(lambda a, b: result_type(a, b) or float32, [value.dtype for value in values])
    # A Python number takes the type of the others.
    given = [value.dtype for value, operand in zip(values, operands, strict=True) if not is_number(operand)]
    if given:
        type = reduce(lambda a, b: result_type(a, b) or float32, given)
    return broadcast_together([number(type, operand) if is_number(operand) else convert(value, type)
                               for value, operand in zip(values, operands, strict=True)], name)


def number(type: dtype, value: Any) -> tensor:
    """A number as a scalar of a float type."""
    return constant_like(type, float(value))


def integer(name: str, x: Any, *types: dtype) -> tensor:
    """An operand of one of some integer types."""
    value = to_tensor(x)
    if value.dtype not in types:
        listed = " or ".join(str(type) for type in types)
        raise TileTypeError(f"{name}: expects {listed}, got {describe_value(value)}",
                            f"convert first: x.to(tl.{types[0]})")
    return value


def same_integers(name: str, types: Sequence[dtype], *operands: Any) -> list[tensor]:
    """Operands of one integer type and shape."""
    values: list[Any] = list(operands)
    for i in range(1, len(values)):
        values[0], values[i] = promote(to_tensor(values[0]), values[i], name)
    values[1:] = [convert(value, values[0].dtype) for value in values[1:]]
    return broadcast_together([integer(name, value, *types) for value in values], name)


# --- formulas ---------------------------------------------------------------------------------------
@contextmanager
def unfused() -> Iterator[None]:
    """Sums and products that stay apart."""
    builder = current()
    saved = builder.options
    builder.options = replace(saved, fp_fusion=False)
    try:
        yield
    finally:
        builder.options = saved


def _make(name: str, summary: str, arity: int, formula: Formula, compute_in: Callable[[dtype], dtype]) -> Any:
    def evaluate(*operands: Any) -> tensor:
        values = floats(name, *operands)
        own, wide = values[0].dtype, compute_in(values[0].dtype)
        with unfused():
            return convert(formula(*(convert(value, wide) for value in values)), own)

    if arity == 1:
        def function(x: Any) -> tensor:
            return evaluate(x)
    elif arity == 2:
        def function(x: Any, y: Any) -> tensor:  # type: ignore[misc]
            return evaluate(x, y)
    elif arity == 3:
        def function(x: Any, y: Any, z: Any) -> tensor:  # type: ignore[misc]
            return evaluate(x, y, z)
    else:
        def function(x: Any, y: Any, z: Any, t: Any) -> tensor:  # type: ignore[misc]
            return evaluate(x, y, z, t)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{summary}."
    return builtin(function)


def in_double(name: str, summary: str, arity: int = 1) -> Callable[[Formula], Any]:
    """A function whose formula computes in fp64, and is rounded once to the operands' type."""
    return lambda formula: _make(name, summary, arity, formula, lambda own: float64)


def in_own_type(name: str, summary: str, arity: int = 1) -> Callable[[Formula], Any]:
    """A function whose formula computes in fp32 or, of fp64, in fp64."""
    return lambda formula: _make(name, summary, arity, formula,
                                 lambda own: float32 if own.primitive_bitwidth < 32 else own)


def of_op(name: str, op: str, summary: str, arity: int = 1) -> Any:
    """A function that is one operation."""
    return in_own_type(name, summary, arity)(lambda *values: emit(op, list(values), values[0].type))


# --- arithmetic -----------------------------------------------------------------------------------------
def fma(x: tensor, y: Any, z: Any) -> tensor:
    """`x * y + z`, rounded once; numbers take the type of `x`."""
    y, z = (constant_like(x.type, float(value)) if is_number(value) else value for value in (y, z))
    x, y, z = broadcast_together([x, y, z], "fma")
    return emit("math.fma", [x, y, z], x.type)


def two_sum(x: tensor, y: tensor) -> tuple[tensor, tensor]:
    """The sum, and exactly what its rounding lost."""
    total = x + y
    back = total - x
    return total, (x - (total - back)) + (y - back)


def polynomial(x: tensor, coefficients: Sequence[Any]) -> tensor:
    """`sum of coefficients[i] * x^i`; they are numbers, or values."""
    result = coefficients[-1]
    result = constant_like(x.type, result) if is_number(result) else result
    for coefficient in reversed(coefficients[:-1]):
        result = fma(result, x, coefficient)
    return result


def choose_all(condition: tensor, these: Sequence[float], those: Sequence[float]) -> list[Any]:
    """Coefficients of one polynomial or, where the condition fails, of another."""
    from ...arithmetic import where

    size = max(len(these), len(those))
    pairs = zip(*(list(each) + [0.0] * (size - len(each)) for each in (these, those)), strict=True)
    return [where(condition, *(number(float64, value) for value in pair)) for pair in pairs]


def bits(x: tensor) -> tensor:
    """The bits of an fp32 or fp64 as a signed integer."""
    return cast(x, int64 if x.dtype is float64 else int32, bitcast=True)


def unsigned_bits(x: tensor) -> tensor:
    """The bits of an fp32 or fp64 as an unsigned integer."""
    return cast(x, uint64 if x.dtype is float64 else uint32, bitcast=True)


def from_bits(x: tensor) -> tensor:
    """The fp32 or fp64 of these bits."""
    return cast(x, float64 if x.dtype.primitive_bitwidth == 64 else float32, bitcast=True)


def op1(name: str, x: tensor) -> tensor:
    """One operation on one value."""
    return emit(name, [x], x.type)


def with_sign(magnitude: tensor, sign: tensor) -> tensor:
    """The magnitude of the first with the sign of the second."""
    return emit("math.copysign", [magnitude, sign], like(sign.type, magnitude.dtype))


def exponential(x: tensor) -> tensor:
    return op1("math.exp", x)


def logarithm(x: tensor) -> tensor:
    return op1("math.log", x)


def absolute(x: tensor) -> tensor:
    return op1("math.absf", x)


def root(x: tensor) -> tensor:
    return op1("math.sqrt", x)


def floor(x: tensor) -> tensor:
    return op1("math.floor", x)


def rint(x: tensor) -> tensor:
    return op1("math.roundeven", x)


def scale(x: tensor, n: tensor) -> tensor:
    """`x * 2^n` for an integer n of at most 2000 in magnitude, where the first of two factors is exact."""
    half = n >> 1
    power = lambda e: from_bits((convert(e, int64) + 1023) << 52)  # noqa: E731
    return x * power(half) * power(n - half)
