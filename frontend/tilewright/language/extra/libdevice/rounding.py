"""Arithmetic and conversions in each of the four roundings.

A result is computed to nearest, and moved by one where the exact one lies on the wrong side: which
side it is on is the sign of a rest that fused operations give exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....ast.emit import emit
from ....ast.values import tensor
from ...arithmetic import where
from ...conversion import constant_like, convert, is_signed
from ...registry import builtin
from ...types import dtype, float32, float64, int32, int64, uint32, uint64
from .classes import step
from .operands import absolute, floats, floor, fma, from_bits, integer, op1, rint, root, two_sum, unfused, with_sign

ROUNDINGS = {"rn": "to nearest", "rz": "towards zero", "rd": "downwards", "ru": "upwards"}

Formula = Callable[..., tensor]


def _adjust(nearest: tensor, rest: tensor, rounding: str) -> tensor:
    """The result in another rounding; `rest` has the sign of exact minus nearest."""
    too_large, too_small = rest < 0.0, rest > 0.0
    if rounding == "rd":
        wrong, up = too_large, too_small
    elif rounding == "ru":
        wrong, up = too_small, too_small
    else:
        wrong, up = where(nearest > 0.0, too_large, too_small) & (nearest != 0.0), nearest < 0.0
    return where(wrong, step(nearest, up), nearest)


def _beyond(nearest: tensor, rest: tensor, *operands: tensor) -> tensor:
    """The rest where finite operands overflowed: the exact result is below the infinity."""
    finite = None
    for operand in operands:
        is_finite = absolute(operand) < float("inf")
        finite = is_finite if finite is None else finite & is_finite
    overflowed = (absolute(nearest) == float("inf")) & finite
    return where(overflowed, -nearest, where(rest == rest, rest, 0.0))


def _wide(x: tensor) -> tensor:
    return convert(x, float64)


# --- the rests --------------------------------------------------------------------------------------------
def _add(x: tensor, y: tensor) -> tensor:
    total, rest = two_sum(x, y)
    return _beyond(total, rest, x, y)


def _sign(x: tensor) -> tensor:
    return with_sign(_one(x), x)


def _mul(x: tensor, y: tensor) -> tensor:
    product = x * y
    if x.dtype is float32:  # exact in fp64
        rest = _wide(x) * _wide(y) - _wide(product)
        return _beyond(product, rest, x, y)
    rest, _ = _lifted_rest(x, y, product)
    return _beyond(product, rest, x, y)


def _lifted_rest(x: tensor, y: tensor, product: tensor) -> tuple[tensor, tensor]:
    """What a product lacks times a power of two, and the power: small ones lose bits of it."""
    lift = where(absolute(product) < 2.0**-900, 2.0**500, 1.0)
    is_less = absolute(x) < absolute(y)
    small, large = where(is_less, x, y), where(is_less, y, x)  # the smaller one does not overflow
    rest = fma(small * lift, large, -(product * lift))
    vanished = (product == 0.0) & (x != 0.0) & (y != 0.0)
    return where(vanished, _sign(x) * _sign(y), rest), lift


def _div(x: tensor, y: tensor) -> tensor:
    quotient = _quotient(x, y)
    # quotient * y + rest = x, and all is scaled so that x is not small.
    wide_x, wide_y, wide_q = _wide(x), _wide(y), _wide(quotient)
    lift = where(absolute(wide_x) < 2.0**-900, 2.0**500, 1.0)
    is_less = absolute(wide_y) < absolute(wide_q)
    small, large = where(is_less, wide_y, wide_q), where(is_less, wide_q, wide_y)
    rest = fma(-(small * lift), large, wide_x * lift) * _sign(wide_y)
    vanished = (quotient == 0.0) & (x != 0.0)
    rest = where(vanished, _sign(wide_x) * _sign(wide_y), rest)
    exact = (y == 0.0) | (absolute(y) == float("inf"))
    return where(exact, 0.0, _beyond(quotient, rest, x, y))


def _sqrt(x: tensor) -> tensor:
    wide_x, wide_r = _wide(x), _wide(root(x))
    is_small = wide_x < 2.0**-900
    lifted = where(is_small, wide_r * 2.0**100, wide_r)
    rest = fma(-lifted, lifted, where(is_small, wide_x * 2.0**200, wide_x))
    return where(absolute(wide_r) < float("inf"), rest, 0.0)


def _fma(x: tensor, y: tensor, z: tensor) -> tensor:
    nearest = fma(x, y, z)
    a, b, c, r = (_wide(value) for value in (x, y, z, nearest))
    product = a * b
    low = fma(a, b, -product)  # zero of fp32
    # The sum of three exactly: c + low, then product + that, and what the result lacks of them.
    first, first_rest = two_sum(c, low)
    second, second_rest = two_sum(product, first)
    rest = (second - r) + second_rest
    rest = where(rest == 0.0, first_rest, rest + first_rest)
    if x.dtype is float64:  # of small products `low` is not exact
        lifted, lift = _lifted_rest(a, b, product)
        rest = where(rest == 0.0, lifted - low * lift, rest)
    return _beyond(nearest, rest, x, y, z)


def _one(x: tensor) -> tensor:
    return constant_like(x.type, 1.0)


def _quotient(x: tensor, y: tensor) -> tensor:
    return emit("arith.divf", [x, y], x.type)


# --- functions of floats --------------------------------------------------------------------------------------
def _declare(name: str, what: str, arity: int, nearest: Formula, rest: Formula, rounding: str) -> Any:
    def evaluate(*operands: Any) -> tensor:
        values = floats(f"{name}_{rounding}", *operands)
        own = values[0].dtype
        values = [value if own is float64 else convert(value, float32) for value in values]
        with unfused():
            result = nearest(*values)
            if rounding != "rn":
                result = _round_sum(_adjust(result, rest(*values), rounding), values, name, rounding)
            return convert(result, own)

    if arity == 1:
        def function(x: Any) -> tensor:
            return evaluate(x)
    elif arity == 2:
        def function(x: Any, y: Any) -> tensor:  # type: ignore[misc]
            return evaluate(x, y)
    else:
        def function(x: Any, y: Any, z: Any) -> tensor:  # type: ignore[misc]
            return evaluate(x, y, z)
    function.__name__ = function.__qualname__ = f"{name}_{rounding}"
    function.__doc__ = f"{what}, rounded {ROUNDINGS[rounding]}."
    return builtin(function)


def _round_sum(result: tensor, values: list[tensor], name: str, rounding: str) -> tensor:
    """A sum of opposite numbers is a negative zero where it is rounded downwards."""
    if rounding != "rd" or name not in ("add", "sub", "fma"):
        return result
    *factors, last = values
    first = factors[0] if len(factors) == 1 else factors[0] * factors[1]
    positive = (first == 0.0) & (last == 0.0) & (_sign(first) > 0.0) & (_sign(last) > 0.0)
    if name == "sub":
        positive = (first == 0.0) & (last == 0.0) & (_sign(first) > 0.0) & (_sign(last) < 0.0)
    return where((result == 0.0) & ~positive, -0.0, result)


# name: what it is, number of operands, the nearest result, the sign of what that lacks
_ARITHMETIC: dict[str, tuple[str, int, Formula, Formula]] = {
    "add": ("``x + y``", 2, lambda x, y: x + y, _add),
    "sub": ("``x - y``", 2, lambda x, y: x - y, lambda x, y: _add(x, -y)),
    "mul": ("``x * y``", 2, lambda x, y: x * y, _mul),
    "div": ("``x / y``", 2, _quotient, _div),
    "rcp": ("``1 / x``", 1, lambda x: _quotient(_one(x), x), lambda x: _div(_one(x), x)),
    "sqrt": ("The square root", 1, root, _sqrt),
    "fma": ("``x * y + z``", 3, fma, _fma),
}
_functions = {f"{name}_{rounding}": _declare(name, *facts, rounding)
              for name, facts in _ARITHMETIC.items() for rounding in ROUNDINGS}


@builtin
def rsqrt_rn(x: Any) -> tensor:
    """One over the square root, rounded to nearest."""
    (value,) = floats("rsqrt_rn", x)
    if value.dtype is float64:
        with unfused():
            return _rsqrt_double(value)
    return convert(1.0 / root(_wide(value)), value.dtype)


def _rsqrt_double(x: tensor) -> tensor:
    """By one step of Newton on the nearest quotient, with a residue that is exact."""
    is_small = x < 2.0**-900
    lifted = where(is_small, x * 2.0**200, x)
    guess = 1.0 / root(lifted)
    square = guess * guess
    lost = fma(guess, guess, -square)
    residue = fma(-lifted, lost, fma(-lifted, square, 1.0))
    better = fma(guess * 0.5, residue, guess)
    result = where((x > 0.0) & (x < float("inf")), better, guess)
    return where(is_small, result * 2.0**100, result)


# --- conversions -------------------------------------------------------------------------------------------------
_TO_WHOLE = {"rn": rint, "rz": lambda x: op1("math.trunc", x), "rd": floor, "ru": lambda x: op1("math.ceil", x)}


def _float_to_integer(name: str, source: dtype, to: dtype, result: dtype, rounding: str) -> Any:
    def function(x: Any) -> tensor:
        (value,) = floats(name, x)
        return convert(convert(_TO_WHOLE[rounding](convert(value, source)), to), result)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"An {source} as {to}, rounded {ROUNDINGS[rounding]}; what is out of range becomes the nearest "
                        f"integer, NaN 0. The bits are an {result}.")
    return builtin(function)


def _integer_to_float(name: str, source: dtype, to: dtype, rounding: str) -> Any:
    other = {int32: uint32, uint32: int32, int64: uint64, uint64: int64}[source]

    def function(x: Any) -> tensor:
        value = integer(name, x, source, other, int32)
        return _round_integer(convert(value, source), to, rounding)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"An {source} as {to}, rounded {ROUNDINGS[rounding]}."
    return builtin(function)


def _round_integer(x: tensor, to: dtype, rounding: str) -> tensor:
    if rounding == "rn" or x.dtype.primitive_bitwidth < to.fp_mantissa_width:
        return convert(x, to)
    # The upper bits of the magnitude are exact; the next float is one more in its bits.
    negative = x < 0 if is_signed(x.dtype) else None
    magnitude = convert(x, uint64)
    if negative is not None:
        magnitude = where(negative, 0 - magnitude, magnitude)
    length = 64 - convert(emit("math.ctlz", [magnitude], magnitude.type), int32)
    excess = length - (to.fp_mantissa_width + 1)
    drop = convert(where(excess > 0, excess, 0), uint64)
    kept = (magnitude >> drop) << drop
    exact = convert(kept, to)
    bits_type = int64 if to is float64 else int32
    away = {"rz": None, "ru": False, "rd": True}[rounding]
    if away is not None and (negative is not None or not away):
        grows = kept != magnitude
        if negative is not None:
            grows = grows & (negative if away else ~negative)
        code = _code(exact, bits_type)
        exact = from_bits(where(grows, code + 1, code))
    return exact if negative is None else where(negative, -exact, exact)


def _code(x: tensor, type: dtype) -> tensor:
    from ...conversion import cast

    return cast(x, type, bitcast=True)


def _double_to_float(rounding: str) -> Any:
    def function(x: Any) -> tensor:
        (value,) = floats(function.__name__, x)
        wide = _wide(value)
        nearest = convert(wide, float32)
        if rounding == "rn":
            return nearest
        with unfused():
            rest = _beyond(nearest, wide - _wide(nearest), wide)
            return _adjust(nearest, rest, rounding)

    function.__name__ = function.__qualname__ = f"double2float_{rounding}"
    function.__doc__ = f"An fp64 as fp32, rounded {ROUNDINGS[rounding]}."
    return builtin(function)


# name: from, to; and of unsigned results the type that stands for their bits
_INTEGERS = {"int": (int32, int32), "uint": (uint32, int32), "ll": (int64, int64), "ull": (uint64, int64)}
for _rounding in ROUNDINGS:
    _functions[f"double2float_{_rounding}"] = _double_to_float(_rounding)
    for _short, (_type, _result) in _INTEGERS.items():
        for _name, _float in (("float", float32), ("double", float64)):
            _to, _from = f"{_name}2{_short}_{_rounding}", f"{_short}2{_name}_{_rounding}"
            _functions[_to] = _float_to_integer(_to, _float, _type, _result, _rounding)
            _functions[_from] = _integer_to_float(_from, _type, _float, _rounding)

FUNCTIONS = [*_functions.values(), rsqrt_rn]
