"""Elementary functions: exponentials, logarithms, circular and hyperbolic ones, roots, norms, powers."""

from __future__ import annotations

import math
from typing import Any

from ....ast.builder import current
from ....ast.emit import emit
from ....ast.values import tensor
from ...arithmetic import truediv, where
from ...conversion import constant_like, convert, to_tensor
from ...registry import builtin
from ...types import float32, float64, int64
from .operands import (
    absolute,
    bits,
    exponential,
    floats,
    floor,
    fma,
    from_bits,
    in_double,
    in_own_type,
    of_op,
    polynomial,
    rint,
    root,
    scale,
    unfused,
    with_sign,
)

acos = of_op("acos", "math.acos", "The inverse of the cosine")
acosh = of_op("acosh", "math.acosh", "The inverse of the hyperbolic cosine")
asin = of_op("asin", "math.asin", "The inverse of the sine")
asinh = of_op("asinh", "math.asinh", "The inverse of the hyperbolic sine")
atan = of_op("atan", "math.atan", "The inverse of the tangent")
atanh = of_op("atanh", "math.atanh", "The inverse of the hyperbolic tangent")
cbrt = of_op("cbrt", "math.cbrt", "The cube root")
cosh = of_op("cosh", "math.cosh", "The hyperbolic cosine")
erfc = of_op("erfc", "math.erfc", "One minus the error function")
expm1 = of_op("expm1", "math.expm1", "The exponential function minus one")
log10 = of_op("log10", "math.log10", "The logarithm to base ten")
log1p = of_op("log1p", "math.log1p", "The natural logarithm of one plus x")
sinh = of_op("sinh", "math.sinh", "The hyperbolic sine")
tan = of_op("tan", "math.tan", "The tangent")
tanh = of_op("tanh", "math.tanh", "The hyperbolic tangent")
atan2 = of_op("atan2", "math.atan2", "The angle of the point (y, x), of which y is the first argument", 2)


@in_double("exp10", "Ten to the power of x")
def exp10(x: tensor) -> Any:
    # Beyond the bounds the result is infinite or zero, as it is there; NaN passes.
    x = where(x > 400.0, 400.0, where(x < -400.0, -400.0, x))
    n = rint(x * 3.321928094887362)
    rest = fma(n, -5.630334806675098e-11, fma(n, -0.30102999560767785, x))
    return scale(exponential(rest * 2.302585092994046), convert(n, int64))


# --- circles ------------------------------------------------------------------------------------------
# sin(pi r) = pi r + r z P(z) and cos(pi r) = 1 + z Q(z), with z = r^2, |r| <= 1/4.
_PI_LOW = 1.2246467991473532e-16
SINPI = (
    -5.16771278004997, 2.550164039877345, -0.5992645293206478, 0.08214588659727676, -0.0073704303122948235,
    0.0004662879326147475, -2.174206734247524e-05)
COSPI = (
    -4.934802200544679, 4.058712126416765, -1.3352627688538095, 0.23533063028399223, -0.025806887964701875,
    0.001929493874894938, -0.00010370082971593132)


def _quarter_turns(x: tensor) -> tuple[tensor, tensor, tensor, tensor]:
    """sin and cos of pi times the rest of x over quarter turns; whether their number is odd, and over two mod 4."""
    n = rint(x * 2.0)
    rest = fma(n, -0.5, x)
    square = rest * rest
    sine = fma(rest, math.pi, rest * fma(square, polynomial(square, SINPI), _PI_LOW))
    cosine = fma(square, polynomial(square, COSPI), 1.0)
    turn = n - floor(n * 0.25) * 4.0
    return sine, cosine, (turn == 1.0) | (turn == 3.0), turn >= 2.0


@in_double("sinpi", "The sine of pi times x")
def sinpi(x: tensor) -> Any:
    sine, cosine, is_odd, is_negative = _quarter_turns(x)
    value = where(is_odd, cosine, sine)
    value = where(is_negative, -value, value)
    return where(floor(x) == x, with_sign(value * 0.0, x), value)


@in_double("cospi", "The cosine of pi times x")
def cospi(x: tensor) -> Any:
    sine, cosine, is_odd, is_negative = _quarter_turns(x)
    value = where(is_odd, -sine, cosine)
    return where(is_negative, -value, value) + 0.0


# --- roots and norms ------------------------------------------------------------------------------------
def _norm(*values: tensor) -> tensor:
    """The root of the sum of squares, which neither overflow nor vanish."""
    sizes = [absolute(value) for value in values]
    largest = sizes[0]
    for size in sizes[1:]:
        largest = emit("arith.maxnumf", [largest, size], largest.type)
    factor = where(largest > 2.0**500, 2.0**-600, where(largest < 2.0**-500, 2.0**600, 1.0))
    factor = convert(factor, float64)
    scaled = [size * factor for size in sizes]
    total = scaled[0] * scaled[0]
    for size in scaled[1:]:
        total = fma(size, size, total)
    result = root(total) / factor
    is_infinite = largest == math.inf  # also beside NaN
    return where(is_infinite, math.inf, result)


@in_double("hypot", "The length of the vector (x, y)", 2)
def hypot(x: tensor, y: tensor) -> Any:
    return _norm(x, y)


@in_double("rhypot", "One over the length of the vector (x, y)", 2)
def rhypot(x: tensor, y: tensor) -> Any:
    return 1.0 / _norm(x, y)


@in_double("norm3d", "The length of a vector of three components", 3)
def norm3d(x: tensor, y: tensor, z: tensor) -> Any:
    return _norm(x, y, z)


@in_double("rnorm3d", "One over the length of a vector of three components", 3)
def rnorm3d(x: tensor, y: tensor, z: tensor) -> Any:
    return 1.0 / _norm(x, y, z)


@in_double("norm4d", "The length of a vector of four components", 4)
def norm4d(x: tensor, y: tensor, z: tensor, t: tensor) -> Any:
    return _norm(x, y, z, t)


@in_double("rnorm4d", "One over the length of a vector of four components", 4)
def rnorm4d(x: tensor, y: tensor, z: tensor, t: tensor) -> Any:
    return 1.0 / _norm(x, y, z, t)


@in_own_type("rcbrt", "One over the cube root")
def rcbrt(x: tensor) -> Any:
    # Not `/`, which may be approximate.
    return emit("arith.divf", [constant_like(x.type, 1.0), emit("math.cbrt", [x], x.type)], x.type)


# --- powers ---------------------------------------------------------------------------------------------
# log(m) = 2 s (1 + z/3 + z^2 P(z)) with s = (m - 1) / (m + 1), z = s^2, on [sqrt(1/2), sqrt(2)].
LOGPAIR = (
    0.2, 0.14285714285714682, 0.11111111110827954, 0.090909091676938, 0.07692297481537068, 0.06667402331812168,
    0.05853118574408186, 0.058615850803995374)


def log_pair(x: tensor) -> tuple[tensor, tensor]:
    """The logarithm of a positive finite number as a sum of two, to 65 bits."""
    is_small = x < 2.0**-1022
    pattern = bits(where(is_small, x * 2.0**54, x))
    exponent = (pattern - 0x3FE6A09E667F3BCD) >> 52
    m = from_bits(pattern - (exponent << 52))
    exponent = where(is_small, exponent - 54, exponent)
    above, below = m + 1.0, m - 1.0
    s = below / above
    # What the quotient lost; m + 1 may be inexact, what it lost is (m - (above - 1)).
    s_low = fma(s, -(m - (above - 1.0)), fma(-s, above, below)) / above
    z = s * s
    z_low = fma(s, s, -z) + (s * 2.0) * s_low
    third = z * 0.3333333333333333
    tail = fma(z, 1.850371707708594e-17, fma(z, 0.3333333333333333, -third)) + z_low * 0.3333333333333333
    tail = fma(z * z, polynomial(z, LOGPAIR), tail)
    # 2 s (1 + third + tail)
    factor = third + 1.0
    factor_low = (third - (factor - 1.0)) + tail
    high = s * 2.0 * factor
    low = fma(s * 2.0, factor, -high) + s * 2.0 * factor_low + s_low * 2.0 * factor
    n = convert(exponent, float64)
    whole = n * 0.6931471803691238  # exact: the constant has few bits
    total = whole + high
    low = (high - (total - whole)) + fma(n, 1.9082149292705877e-10, low)
    rounded = total + low
    return rounded, (total - rounded) + low


# e^r = 1 + r + r^2 P(r) on |r| <= log(2)/2.
EXP = (
    0.5000000000000011, 0.16666666666666413, 0.04166666666653005, 0.008333333333494685, 0.0013888888943662185,
    0.00019841269506176677, 2.480149306160958e-05, 2.755758665583885e-06, 2.7630262950518746e-07,
    2.4999997739499224e-08)


def exp_pair(high: tensor, low: tensor) -> tensor:
    """e to the sum of two numbers, of which the second is small."""
    # Beyond the bounds the result is infinite or zero, as it is there; NaN passes.
    high = where(high > 800.0, 800.0, where(high < -800.0, -800.0, high))
    n = rint(high * 1.4426950408889634)
    rest = fma(n, -0.6931471803691238, high)
    low = fma(n, -1.9082149292705877e-10, low)
    r = rest + low
    tail = fma(r * r, polynomial(r, EXP), (rest - r) + low)
    return scale(r + tail + 1.0, convert(n, int64))


def power(x: tensor, y: tensor) -> tensor:
    """`|x|^y` of fp64."""
    size = absolute(x)
    total, low = log_pair(size)
    product = y * total
    lost = fma(y, total, -product) + y * low
    result = exp_pair(product, where(absolute(product) < 1e4, lost, 0.0))
    # Of zero, infinity and NaN the logarithm above means nothing.
    edge = where(size == 0.0, where(y > 0.0, 0.0, math.inf), where(y > 0.0, math.inf, 0.0))
    result = where((size == 0.0) | (size == math.inf), edge, result)
    result = where((x != x) | (y != y), x + y, result)
    is_unbounded = absolute(y) == math.inf
    grows = (size > 1.0) == (y > 0.0)
    limit = where(size == 1.0, 1.0, where(grows, math.inf, 0.0))
    result = where(is_unbounded & (x == x), limit, result)
    return where((y == 0.0) | (x == 1.0), 1.0, result)


def signed_power(x: tensor, y: tensor) -> tensor:
    """`x^y`, which has no value for a negative x unless y is an integer."""
    result = power(x, y)
    is_integer = floor(y) == y
    is_odd = is_integer & (floor(y * 0.5) != y * 0.5)
    is_negative = (bits(x) < 0) & (x == x)
    flipped = where(is_negative & is_odd, -result, result)
    undefined = is_negative & (x != 0.0) & (x != -math.inf) & ~is_integer & (y == y) & (y != 0.0)
    undefined = undefined & (absolute(y) != math.inf)
    return where(undefined, math.nan, flipped)


@builtin
def pow(x: Any, y: Any) -> tensor:
    """The first to the power of the second, a float or an integer."""
    exponent = to_tensor(y)
    if exponent.dtype.is_int():
        (base,) = floats("pow", x)
        with unfused():
            # An integer of 32 bits is exact in fp64, and so its parity.
            return convert(signed_power(convert(base, float64), convert(exponent, float64)), base.dtype)
    base, exponent = floats("pow", x, y)
    if base.dtype is float64:
        with unfused():
            return signed_power(base, exponent)
    wide = [convert(value, float32) for value in (base, exponent)]
    return convert(emit("math.powf", wide, wide[0].type), base.dtype)


# --- faster and less exact ----------------------------------------------------------------------------------
def _fast(name: str, op: str, summary: str) -> Any:
    def function(x: Any) -> tensor:
        (value,) = floats(name, x)
        return _approximate(op, convert(value, float32))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{summary} of an fp32, by the target's own instruction where it has one."
    return builtin(function)


def _approximate(op: str, x: tensor) -> tensor:
    return emit(op, [x], x.type, {"fastmath": current().session.attribute("#arith.fastmath<afn>")})


fast_sinf = _fast("fast_sinf", "math.sin", "The sine")
fast_cosf = _fast("fast_cosf", "math.cos", "The cosine")
fast_expf = _fast("fast_expf", "math.exp", "The exponential function")
fast_logf = _fast("fast_logf", "math.log", "The natural logarithm")
fast_log2f = _fast("fast_log2f", "math.log2", "The logarithm to base two")
fast_tanhf = _fast("fast_tanhf", "math.tanh", "The hyperbolic tangent")


@builtin
def fast_tanf(x: Any) -> tensor:
    """The tangent of an fp32, as a quotient of approximations."""
    return truediv(fast_sinf(x), fast_cosf(x))


@builtin
def fast_log10f(x: Any) -> tensor:
    """The logarithm to base ten of an fp32, by an approximation of that to base two."""
    return fast_log2f(x) * 0.3010299956639812


@builtin
def fast_exp10f(x: Any) -> tensor:
    """Ten to the power of an fp32, by an approximation of the power of two."""
    (value,) = floats("fast_exp10f", x)
    return _approximate("math.exp2", convert(value, float32) * 3.321928094887362)


@builtin
def fast_powf(x: Any, y: Any) -> tensor:
    """The power of two fp32, by approximations of a logarithm and an exponential."""
    base, exponent = (convert(value, float32) for value in floats("fast_powf", x, y))
    return _approximate("math.exp2", exponent * _approximate("math.log2", base))


@builtin
def fast_dividef(x: Any, y: Any) -> tensor:
    """The quotient of two fp32, approximate where the target has a faster form."""
    dividend, divisor = (convert(value, float32) for value in floats("fast_dividef", x, y))
    return truediv(dividend, divisor)


@builtin
def saturatef(x: Any) -> tensor:
    """The value kept between 0 and 1; 0 where it is NaN."""
    (value,) = floats("saturatef", x)
    one, zero = (constant_like(value.type, bound) for bound in (1.0, 0.0))
    return where(value > 1.0, one, where(value > 0.0, value, zero))


FUNCTIONS = [
    acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cosh, cospi, erfc, exp10, expm1, fast_cosf, fast_dividef,
    fast_exp10f, fast_expf, fast_log10f, fast_log2f, fast_logf, fast_powf, fast_sinf, fast_tanf, fast_tanhf, hypot,
    log10, log1p, norm3d, norm4d, pow, rcbrt, rhypot, rnorm3d, rnorm4d, saturatef, sinh, sinpi, tan, tanh,
]
