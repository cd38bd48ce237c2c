"""Operations on elements: `arith` and `math`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .formats import NARROW, fit, from_bits, numpy_type, round_to, saturate, signed, to_bits, unsigned
from .machine import Machine, evaluates
from .memory import map_arrays
from .record import Operation

Array = Any


def _define(names: str, compute: Callable[..., Array], view: Callable[[Array], Array] | None = None) -> None:
    """Operations computed by numpy, on integers of one signedness where `view` says so."""
    def evaluate(machine: Machine, op: Operation, *operands: Array) -> Array:
        if view is not None:
            operands = tuple(map(view, operands))
        return fit(compute(*operands), op.results[0].type)

    evaluates(*names.split())(evaluate)


# --- integers -------------------------------------------------------------------------------------------
def _quotient(x: Array, y: Array) -> Array:
    """Truncated; x // 0 is x."""
    safe = np.where(y == 0, 1, y).astype(x.dtype)
    floor = np.floor_divide(x, safe)
    remainder = x - floor * safe
    return np.where((remainder != 0) & ((x < 0) != (safe < 0)), floor + 1, floor).astype(x.dtype)


def _remainder(x: Array, y: Array) -> Array:
    return np.where(y == 0, 0, x - _quotient(x, y) * y).astype(x.dtype)


def _amount(x: Array, y: Array) -> Array:
    """The amount of a shift, modulo the width."""
    return (unsigned(y) % np.asarray(8 * y.dtype.itemsize, unsigned(y).dtype)).astype(x.dtype)


_define("arith.addi", np.add, unsigned)
_define("arith.subi", np.subtract, unsigned)
_define("arith.muli", np.multiply, unsigned)
_define("arith.divsi", _quotient, signed)
_define("arith.divui", _quotient, unsigned)
_define("arith.remsi", _remainder, signed)
_define("arith.remui", _remainder, unsigned)
_define("arith.andi", np.bitwise_and, unsigned)
_define("arith.ori", np.bitwise_or, unsigned)
_define("arith.xori", np.bitwise_xor, unsigned)
_define("arith.shli", lambda x, y: np.left_shift(x, _amount(x, y)), unsigned)
_define("arith.shrsi", lambda x, y: np.right_shift(x, _amount(x, y)), signed)
_define("arith.shrui", lambda x, y: np.right_shift(x, _amount(x, y)), unsigned)
_define("arith.minsi", np.minimum, signed)
_define("arith.maxsi", np.maximum, signed)
_define("arith.minui", np.minimum, unsigned)
_define("arith.maxui", np.maximum, unsigned)
_define("arith.extsi arith.trunci", lambda x: x, signed)
_define("arith.extui", lambda x: x, unsigned)
_define("math.absi", np.abs, signed)
_define("math.ctpop", lambda x: _by_bits(x, lambda bits: bits.count("1")), unsigned)
_define("math.ctlz", lambda x: _by_bits(x, lambda bits: len(bits) - len(bits.lstrip("0"))), unsigned)
_define("math.cttz", lambda x: _by_bits(x, lambda bits: len(bits) - len(bits.rstrip("0"))), unsigned)


def _by_bits(x: Array, count: Callable[[str], int]) -> Array:
    width = 8 * x.dtype.itemsize
    return np.vectorize(lambda number: count(f"{int(number):0{width}b}"), otypes=[np.int64])(x)


@evaluates("arith.mului_extended")
def _wide_product(machine: Machine, op: Operation, x: Array, y: Array,
                  seen: Callable[[Array], Array] = unsigned) -> tuple[Array, Array]:
    width = 8 * x.dtype.itemsize
    product = seen(x).astype(object) * seen(y).astype(object)
    low = np.asarray(product % (1 << width)).astype(unsigned(x).dtype)
    high = np.asarray(product // (1 << width)).astype(seen(x).dtype)
    return fit(low, op.results[0].type), fit(high, op.results[1].type)


@evaluates("arith.mulsi_extended")
def _wide_signed_product(machine: Machine, op: Operation, x: Array, y: Array) -> tuple[Array, Array]:
    return _wide_product(machine, op, x, y, signed)


# predicate: how integers are seen, the comparison
_INTEGERS = {0: (unsigned, operator.eq), 1: (unsigned, operator.ne), 2: (signed, operator.lt),
             3: (signed, operator.le), 4: (signed, operator.gt), 5: (signed, operator.ge),
             6: (unsigned, operator.lt), 7: (unsigned, operator.le), 8: (unsigned, operator.gt),
             9: (unsigned, operator.ge)}
_ORDERED = {1: operator.eq, 2: operator.gt, 3: operator.ge, 4: operator.lt, 5: operator.le,
            6: lambda x, y: (x < y) | (x > y), 7: lambda x, y: ~(np.isnan(x) | np.isnan(y))}
# Unordered predicates are true where the ordered one that they negate is false.
_NEGATED = {8: 6, 9: 5, 10: 4, 11: 3, 12: 2, 13: 1, 14: 7}


@evaluates("arith.cmpi")
def _compare_integers(machine: Machine, op: Operation, x: Array, y: Array) -> Array:
    view, compare = _INTEGERS[op.attributes["predicate"]]
    return compare(view(x), view(y))


@evaluates("arith.cmpf")
def _compare_floats(machine: Machine, op: Operation, x: Array, y: Array) -> Array:
    predicate = op.attributes["predicate"]
    if predicate in _ORDERED:
        return _ORDERED[predicate](x, y)
    return ~np.asarray(_ORDERED[_NEGATED[predicate]](x, y))


@evaluates("arith.select")
def _select(machine: Machine, op: Operation, condition: Array, x: Any, y: Any) -> Any:
    return map_arrays([x, y], lambda x, y: np.where(condition, x, y.astype(x.dtype)))


# --- floats ---------------------------------------------------------------------------------------------
_define("arith.addf", np.add)
_define("arith.subf", np.subtract)
_define("arith.mulf", np.multiply)
_define("arith.divf", np.divide)
_define("arith.remf", np.fmod)
_define("arith.negf", np.negative)
_define("arith.minnumf", np.fmin)
_define("arith.maxnumf", np.fmax)
_define("arith.minimumf", np.minimum)
_define("arith.maximumf", np.maximum)
_define("arith.extf arith.truncf", lambda x: x)
_define("arith.sitofp", lambda x: x, signed)
_define("arith.uitofp", lambda x: x, unsigned)
_define("math.absf", np.abs)
_define("math.copysign", np.copysign)


@evaluates("arith.fptosi", "arith.fptoui")
def _to_integer(machine: Machine, op: Operation, x: Array) -> Array:
    return saturate(x, op.results[0].type, op.name == "arith.fptoui")


@evaluates("arith.bitcast")
def _bitcast(machine: Machine, op: Operation, x: Array) -> Array:
    bits = to_bits(x, op.operands[0].type)
    return from_bits(bits, op.results[0].type) if op.results[0].type.is_floating() else bits.view(
        numpy_type(op.results[0].type))


@evaluates("tile.cast")
def _cast(machine: Machine, op: Operation, x: Array) -> Array:
    type = op.results[0].type
    if "rtz" not in op.attributes.get("rounding", ""):
        return fit(x, type)
    if type.scalar in NARROW:
        return round_to(type.scalar, x, to_zero=True)
    rounded = x.astype(numpy_type(type))
    # Where rounding to nearest went away from zero, the next number towards zero is meant.
    away = np.abs(rounded.astype(np.float64)) > np.abs(x.astype(np.float64))
    return np.where(away, np.nextafter(rounded, rounded.dtype.type(0)), rounded)


# --- mathematical functions, computed in fp64 ---------------------------------------------------------------
def _slowly(function: Callable[..., float]) -> Callable[..., Array]:
    """A function of Python's numbers for arrays."""
    return np.vectorize(function, otypes=[np.float64])


def _half_away(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _fused_number(x: float, y: float, z: float) -> float:
    """Rounded once: Python's quotients of integers are."""
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        return x * y + z
    (a, b), (c, d), (e, f) = x.as_integer_ratio(), y.as_integer_ratio(), z.as_integer_ratio()
    exact = a * c * f + e * b * d
    try:
        return exact / (b * d * f) if exact else x * y + z
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


_fused_numbers = _slowly(_fused_number)


def _fused(x: Array, y: Array, z: Array) -> Array:
    if x.dtype == np.float64:
        return _fused_numbers(x, y, z)
    product, z = np.asarray(x.astype(np.float64) * y.astype(np.float64)), z.astype(np.float64)
    total = product + z
    # The sum is rounded to odd, so that rounding it again to a narrower type rounds once.
    added = total - product
    error = (product - (total - added)) + (z - added)
    even = np.asarray(total).view(np.int64) & 1 == 0
    nudged = np.nextafter(total, np.copysign(np.inf, error))
    return np.where(even & np.isfinite(total) & (error != 0), nudged, total)


_define("math.fma", _fused)
for _name, _function in {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "cbrt": np.cbrt, "floor": np.floor,
    "ceil": np.ceil, "trunc": np.trunc, "roundeven": np.rint, "round": _half_away, "erf": _slowly(math.erf),
    "erfc": _slowly(math.erfc), "powf": np.power, "atan2": np.arctan2,
}.items():
    _define(f"math.{_name}", lambda *operands, function=_function: function(
        *(operand.astype(np.float64) for operand in operands)))

