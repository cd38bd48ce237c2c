"""The gamma function and its logarithm."""

from __future__ import annotations

import math
from typing import Any

from ....ast.values import tensor
from ...arithmetic import where
from .elementary import exp_pair, log_pair, sinpi
from .operands import absolute, choose_all, floor, fma, in_double, logarithm, polynomial, two_sum

# log(gamma(x)) = (x - 1) (x - 2) P(u), on [0.7, 1.5] and [1.5, 3] with u from -1 to 1.
LGAMMA_LOW = (
    0.5541382362204413, -0.08691399362345026, 0.020118485459487804, -0.00542898841984125, 0.0015833191657801601,
    -0.0004831734166469631, 0.00015182034125433747, -4.8683377755151806e-05, 1.584655500287991e-05,
    -5.218005510752401e-06, 1.734102950464941e-06, -5.806851860842591e-07, 1.957608628365396e-07,
    -6.632976950693467e-08, 2.2444931641724074e-08, -7.670996329229916e-09, 2.7933473197526376e-09,
    -9.621335251990093e-10, 2.1152974208088137e-10, -7.284071230851478e-11, 7.601278519915184e-11,
    -2.648993319623424e-11)
LGAMMA_MIDDLE = (
    0.3995894876556691, -0.06441063566344568, 0.014213449664599944, -0.003570760544169681, 0.0009622289503497507,
    -0.00027076146607226754, 7.842743111330793e-05, -2.3187395980633794e-05, 6.96012938268613e-06,
    -2.113574573485792e-06, 6.477165472702376e-07, -1.9998382152832278e-07, 6.211572570822804e-08,
    -1.9352272055410812e-08, 6.067625171423504e-09, -1.9609769273489686e-09, 6.194339630121299e-10,
    -1.5541470807813495e-10, 4.92361707655989e-11, -3.377714967085556e-11, 1.0793695910668129e-11)
# log(gamma(x)) = (x - 1/2) log(x) - x + log(2 pi)/2 + P(u) / x for x >= 8, u from -1 to 1 over 1/x^2 up to 1/64.
STIRLING = (
    0.08331168009046694, -2.1605333022637574e-05, 4.7607321162920286e-08, -2.718186475679418e-10,
    2.8769036984703675e-12, -4.810610657583334e-14, 1.1518489285943626e-15)
# gamma(x) on [2, 3], u = 2 x - 5.
GAMMA = (
    1.329340388179137, 0.4673672608130429, 0.16363964449533416, 0.03173390585513512, 0.0068545771251365545,
    0.0008862743936967716, 0.0001623813035082171, 1.255781561154807e-05, 2.9471647009899543e-06,
    7.701042460415819e-09, 5.989210476105906e-08, -6.2550094513430585e-09, 1.7718103539968532e-09,
    -3.080763108698437e-10, 6.51572360327812e-11, -1.5443061779555456e-11, 3.1107055603112123e-12)
_HALF_LOG_TWO_PI = 0.9189385332046728


def _reduce(x: tensor, steps: int) -> tuple[tensor, tensor]:
    """x below 3 after steps down, and the product of what was stepped to."""
    product = x * 0.0 + 1.0
    for _ in range(steps):
        is_large = x >= 3.0
        x = where(is_large, x - 1.0, x)
        product = where(is_large, product * x, product)
    return x, product


def _stirling(x: tensor) -> tensor:
    inverse = 1.0 / x
    return polynomial(fma(inverse * inverse, 128.00008192005242, -1.0000012800008193), STIRLING) * inverse


def _lgamma_positive(x: tensor) -> tensor:
    y, product = _reduce(where(x < 0.7, x + 1.0, x), 5)
    is_low = y < 1.5
    u = where(is_low, (y - 1.1) * 2.5, (y - 2.25) * 1.3333333333333333)
    near = (y - 1.0) * (y - 2.0) * polynomial(u, choose_all(is_low, LGAMMA_LOW, LGAMMA_MIDDLE))
    is_far = x >= 8.0
    # One logarithm serves the three cases.
    log = logarithm(where(is_far | (x < 0.7), x, product))
    far = fma(x - 0.5, log - 1.0, _HALF_LOG_TWO_PI - 0.5 + _stirling(x))
    near = where(x < 0.7, near - log, where(x < 3.0, near, near + log))
    return where(is_far, where(x < math.inf, far, math.inf), near)


@in_double("lgamma", "The logarithm of the magnitude of the gamma function")
def lgamma(x: tensor) -> Any:
    size = absolute(x)
    positive = _lgamma_positive(size)
    # gamma(-a) gamma(a) = -pi / (a sin(pi a))
    reflected = 1.1447298858494002 - logarithm(absolute(sinpi(size) * size)) - positive
    tiny = -logarithm(size)
    result = where(x > 0.0, positive, where(size < 1e-20, tiny, reflected))
    return where((floor(x) == x) & (x <= 0.0) | (size == math.inf), math.inf, where(x == x, result, x))


def _gamma_positive(x: tensor) -> tensor:
    """For x up to 172."""
    lifted = where(x < 1.0, x + 2.0, where(x < 2.0, x + 1.0, x))
    y, product = _reduce(lifted, 5)
    near = polynomial(fma(y, 2.0, -5.0), GAMMA) * product
    near = near / where(x < 1.0, (x + 1.0) * x, where(x < 2.0, x, 1.0))
    # exp((x - 1/2) log(x) - x), with the logarithm and the product in two parts, in two factors.
    high, low = log_pair(x)
    half = x - 0.5
    product_high = half * high
    lost = fma(half, high, -product_high) + half * low
    power, first_rest = two_sum(product_high, -x)
    power, second_rest = two_sum(power, _stirling(x))
    # In two factors, of which neither overflows.
    root = exp_pair(power * 0.5, (first_rest + second_rest + lost) * 0.5)
    far = root * 2.5066282746310002 * root
    return where(x < 8.0, near, far)


@in_double("tgamma", "The gamma function")
def tgamma(x: tensor) -> Any:
    size = absolute(x)
    bounded = where(size > 172.0, 172.0, size)
    positive = where(size > 171.7, math.inf, _gamma_positive(bounded))
    # gamma(-a) = -pi / (a sin(pi a) gamma(a)), where the sine of few bits is exact enough
    negative = -math.pi / (sinpi(size) * size * positive)
    negative = where(size > 184.0, where(floor(size * 0.5) * 2.0 == floor(size), -0.0, 0.0), negative)
    result = where(x > 0.0, positive, where(size < 1e-290, 1.0 / x, negative))
    is_pole = (floor(x) == x) & (x < 0.0)
    return where(x == x, where(is_pole | (x == -math.inf), math.nan, where(x == 0.0, 1.0 / x, result)), x)


FUNCTIONS = [lgamma, tgamma]
