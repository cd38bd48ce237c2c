"""The normal distribution, scaled and inverse error functions."""

from __future__ import annotations

import math
from typing import Any

from ....ast.values import tensor
from ...arithmetic import where
from .operands import absolute, choose_all, exponential, fma, in_double, logarithm, op1, polynomial, root, with_sign

# erfcx(x) = P(t) / (1 + 2 x) with t = (x - 4) / (x + 4), for x >= 0.
ERFCX = (
    1.2329951186255526, -0.13962111684056228, 0.015379652102619974, 0.06809705425466839, -0.10103906603631811,
    0.09373283499911264, -0.06633036581186058, 0.037167515526338006, -0.01619773406293477, 0.005031970069102256,
    -0.0007577732435942576, -0.0001992571524726518, 0.00015062142608651945, -2.4397731143023292e-05,
    -1.1221135665965907e-05, 5.70657829924074e-06, 2.9173425573089733e-07, -8.210647933297337e-07,
    7.771943241086912e-08, 1.0631817593818149e-07, -2.0725802488181963e-08, -1.2338731403798444e-08,
    3.2323973445082033e-09, 9.297625263709659e-10, -2.764120233734578e-10)
# erfinv(y) / y for w = -log(1 - y^2) up to 6.25, in u from -1 to 1.
ERFINV_NEAR = (
    1.6536545626831027, 0.7504943200799634, -0.058922567103777836, -0.02260444745344978, 0.01780836181829564,
    -0.004137314377414427, -0.001271692268437299, 0.0012324855686812817, -0.0002643936684366172,
    -0.00011688883993097099, 9.336739177804772e-05, -1.502771042027757e-05, -1.1257319182677898e-05,
    7.130057263082433e-06, -6.83718721812118e-07, -1.059321402540727e-06, 5.394320648706994e-07,
    -1.0185147576818547e-08, -9.867713140174208e-08, 3.9154731140230353e-08, 4.792369996100339e-09,
    -8.562787796742899e-09, 1.5401738716654878e-09, 7.689312733742533e-10, -2.703225409106927e-10)
# erfinv(y) / (y sqrt(w)) in 1 / sqrt(w) from 1/6 to 0.4, and from 0.0365 to 1/6.
ERFINV_FAR = (
    0.9534498151214219, -0.02227915076163155, 0.0018552749399151506, 0.0009233881306130292, 0.00018744646752026002,
    0.000285658173797075, 5.882835207198013e-05, -8.85763043405384e-05, -5.3860487214801506e-05,
    3.127468274878035e-05, 2.4204151892818006e-05, -1.4871163601166951e-05, -7.940961356087478e-06,
    7.846712874846917e-06, 1.026654821576842e-06, -3.492193464413357e-06, 9.472333980501562e-07,
    9.986945830405346e-07, -8.865291315978919e-07, 7.2072776304515024e-09, 4.129979032313892e-07,
    -1.8022987712975954e-07, -1.1750479056135813e-07, 9.732847602353418e-08, 1.8898923381303413e-08,
    -2.581399987072806e-08, -1.244363172053495e-09, 2.9698488695061895e-09)
ERFINV_FARTHEST = (
    0.9887923216583553, -0.011076044218738758, -0.0014490407941686598, 0.00044434443547834344, -7.315757572578643e-05,
    1.813359928525916e-05, -5.935867123975169e-06, 2.1851624990142643e-06, -8.744850512630362e-07,
    3.7323153610221043e-07, -1.6731977712036794e-07, 7.825795412726492e-08, -3.762466446052875e-08,
    1.7516523299579887e-08, -8.745665231214198e-09, 6.69886560054839e-09, -3.5994304753026306e-09,
    -1.3560535767114915e-09, 8.424132205603192e-10, 2.7389203377498377e-09, -1.5704528155875904e-09,
    -1.1422668396082177e-09, 6.622344829275349e-10, 3.591570228805544e-10, -2.063955822152426e-10)
_FAR, _FARTHEST = 0.4 - 1.0 / 6.0, 1.0 / 6.0 - 0.0365  # lengths of the two ranges


def _scaled(x: tensor) -> tensor:
    """erfcx for x >= 0."""
    t = (x - 4.0) / (x + 4.0)
    t = where(x < 1e300, t, 1.0)
    return polynomial(t, ERFCX) / (fma(x, 2.0, 1.0))


def _exp_of_square(x: tensor, sign: float) -> tensor:
    """exp(sign * x^2) with what the square loses."""
    square = x * x
    lost = where(square < math.inf, fma(x, x, -square), 0.0)
    power = exponential(square * sign)
    return where(power < math.inf, fma(power, lost * sign, power), power)


@in_double("erfcx", "The scaled complementary error function, exp(x*x) erfc(x)")
def erfcx(x: tensor) -> Any:
    size = absolute(x)
    positive = _scaled(size)
    return where(x < 0.0, fma(_exp_of_square(size, 1.0), 2.0, -positive), positive)


@in_double("normcdf", "The distribution function of the normal distribution")
def normcdf(x: tensor) -> Any:
    size = absolute(x)
    square = size * size
    lost = where(square < math.inf, fma(size, size, -square), 0.0)
    power = exponential(square * -0.5)
    tail = fma(power, lost * -0.5, power) * _scaled(size * 0.7071067811865476) * 0.5
    tail = where(size > 40.0, 0.0, tail)
    return where(x < 0.0, tail, 1.0 - tail)


def _inverse(w: tensor, y: tensor) -> tensor:
    """erfinv(y), y >= 0, where w = -log(1 - y^2)."""
    near = polynomial((w - 3.125) * 0.32, ERFINV_NEAR) * y
    size = root(where(w > 6.25, w, 6.25))
    v = 1.0 / size
    is_far = size < 6.0
    u = where(is_far, fma(v, 2.0 / _FAR, -(0.4 + 1.0 / 6.0) / _FAR),
              fma(v, 2.0 / _FARTHEST, -(1.0 / 6.0 + 0.0365) / _FARTHEST))
    far = polynomial(u, choose_all(is_far, ERFINV_FAR, ERFINV_FARTHEST)) * size * y
    return where(w <= 6.25, near, far)


@in_double("erfinv", "The inverse of the error function")
def erfinv(x: tensor) -> Any:
    size = absolute(x)
    # Near 1 the square would be rounded, the difference is exact.
    w = where(size < 0.5, -op1("math.log1p", -size * size), -logarithm((1.0 - size) * (size + 1.0)))
    result = _inverse(where(w < 800.0, w, 800.0), size)
    result = where(size < 1.0, result, where(size == 1.0, math.inf, math.nan))
    return where(size == 0.0, x, with_sign(result, x))


def _inverse_complement(y: tensor) -> tensor:
    """erfcinv for y from 0 to 2."""
    is_small = y < 1.0
    tail = where(is_small, y, 2.0 - y)
    size = 1.0 - tail
    # Of a small tail its logarithm, else that of 1 - size^2.
    w = -logarithm(tail) - logarithm(2.0 - tail)
    near = -op1("math.log1p", -size * size)
    w = where(size < 0.5, near, w)
    result = _inverse(where(w < 750.0, w, 750.0), size)
    result = where(tail == 0.0, math.inf, where(tail > 0.0, result, math.nan))
    return where(is_small, result, -result)


@in_double("erfcinv", "The inverse of the complementary error function")
def erfcinv(x: tensor) -> Any:
    return _inverse_complement(x)


@in_double("normcdfinv", "The inverse of the distribution function of the normal distribution")
def normcdfinv(x: tensor) -> Any:
    return _inverse_complement(x * 2.0) * -1.4142135623730951


FUNCTIONS = [erfcinv, erfcx, erfinv, normcdf, normcdfinv]
