"""Bessel functions.

J and Y below 8 are entire functions of x^2 (of Y, after its logarithm and pole), beyond that
amplitudes and phases; near zeros errors are small beside the amplitude, not beside the value.
"""

from __future__ import annotations

import math
from typing import Any

from ....ast.values import tensor
from ....jit import jit
from ...arithmetic import where
from ...debug import static_assert
from ...math import sqrt as square_root
from ...reductions import max as largest_of
from ...types import float64
from .operands import absolute, exponential, fma, in_double, logarithm, op1, polynomial, root, with_sign

# J0(x), J1(x) / x, Y0(x) - 2/pi log(x) J0(x), (Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x; u = x^2 / 32 - 1.
J0_NEAR = (
    0.045829664859813754, 0.9303012472958572, -0.6484692830871821, -0.8080888076696872, 1.0383794611436883,
    -0.507468045847101, 0.14598884856785535, -0.028472718610877044, 0.00405807898810883, -0.0004435459224433769,
    3.8473200057927604e-05, -2.717749207626176e-06, 1.595584886623164e-07, -7.91533375368561e-09, 3.3794624520643e-10,
    -1.2430166156640003e-11)
J1_NEAR = (
    -0.05814382795599107, 0.08105866038589796, 0.15151665143806636, -0.2595948652859303, 0.15858376432721838,
    -0.05474581821284725, 0.012456814392263375, -0.0020290394945704573, 0.00024949458135972767,
    -2.404574866003479e-05, 1.8684526037182737e-06, -1.196708182234105e-07, 6.43119017895857e-09,
    -2.943016833829492e-10, 1.1658971884036515e-11, -4.0037632815796753e-13)
Y0_NEAR = (
    -0.382250654459425, -0.8284358903604587, 1.6470964788745466, 0.14412632369302475, -1.0775477338215995,
    0.6721770783431679, -0.2189574709617164, 0.046367047681375125, -0.007025741057270546, 0.00080615860596164,
    -7.279541882544516e-05, 5.321318810394401e-06, -3.218507833909702e-07, 1.6390875017619395e-08,
    -7.130468040126112e-10, 2.6926937109987802e-11, -8.838468394309022e-13)
Y1_NEAR = (
    0.07075985882117625, -0.2433774307919266, 0.023367571721003767, 0.23507209206667423, -0.19639839859928362,
    0.07854786922241741, -0.019628756833114894, 0.0034224907399180975, -0.00044381734344195657,
    4.4674330127245154e-05, -3.6010000225844957e-06, 2.3804930317306265e-07, -1.3153147370989536e-08,
    6.169694909374694e-10, -2.499531434821929e-11, 8.758166378731941e-13)
# sqrt(pi x / 2) (J + i Y) = (P + i Q / x) exp(i phase) for x >= 8; u from -1 to 1 over 1/x^2.
P0 = (
    0.9994572704245793, -0.0005363618327927733, 6.1372871754452635e-06, -2.0526781168411025e-07,
    1.2803175215072472e-08, -1.2120434159820326e-09, 1.5505243746306881e-10, -2.490128894592154e-11,
    4.674526294255683e-12, -1.0237175786987603e-12, 3.451730814295777e-13, -9.955222696815837e-14)
Q0 = (
    -0.12444090556959005, 0.0005466462250882558, -1.1816857265482085e-05, 5.684783283262072e-07,
    -4.5347660808225406e-08, 5.145857711727692e-09, -7.575489570034411e-10, 1.3646844101166846e-10,
    -2.8803472296438963e-11, 6.540215914497605e-12, -1.7084737151018241e-12, 7.90321089230789e-13,
    -2.631935057570269e-13)
P1 = (
    1.000907035266131, 0.0008987957944289057, -7.95952814568467e-06, 2.4535971340168673e-07, -1.4707842334319204e-08,
    1.3602223410209873e-09, -1.7135996280585983e-10, 2.7223670366651154e-11, -5.0717324648884005e-12,
    1.1039155934986905e-12, -3.6937735147669084e-13, 1.0609797883641625e-13)
Q1 = (
    0.37421498452242624, -0.0007697087172077999, 1.4569303518587798e-05, -6.633349105474035e-07,
    5.135872342236799e-08, -5.720479811696199e-09, 8.31516804692047e-10, -1.4841217637720387e-10,
    3.110501261822452e-11, -7.0303072247707855e-12, 1.8286758610076837e-12, -8.399849350887358e-13,
    2.788701216666069e-13)
# exp(-x) I0(x), exp(-x) I1(x) / x up to 8, u = x/4 - 1.
I0_NEAR = (
    0.2070019212239867, -0.11300432688620549, 0.09451562853995103, -0.08904344136075991, 0.08734341617552291,
    -0.08496338091615124, 0.07927522590716898, -0.06954119561742342, 0.056777032019843215, -0.04298594945226738,
    0.03017791202356886, -0.019682654708082413, 0.011960077903963348, -0.006792399792271578, 0.0036171264596770616,
    -0.0018118870527295522, 0.0008563152483951447, -0.0003829015089457559, 0.0001624054672701359,
    -6.550956130635514e-05, 2.5202271984440893e-05, -9.25059710625537e-06, 3.2293850630678377e-06,
    -1.0891964284507317e-06, 3.675592893288293e-07, -1.1339523685907105e-07, 2.6273368345256394e-08,
    -7.860369707508212e-09, 4.469372581856615e-09, -1.1662904878442954e-09)
I1_NEAR = (
    0.044687709875608835, -0.061124338029666284, 0.06805759990951162, -0.0684826062058269, 0.06376740371340611,
    -0.05528003922699226, 0.044674572621282986, -0.03367135552107505, 0.023686016957350876, -0.015571309244077562,
    0.009583962153764291, -0.005534567846988655, 0.0030057624040464932, -0.001538874564273584, 0.0007445123998749739,
    -0.0003411760229204836, 0.00014842110758080817, -6.142361409267038e-05, 2.4233987591498262e-05,
    -9.136529630106953e-06, 3.29361514435675e-06, -1.1327198008251626e-06, 3.7617292810159424e-07,
    -1.2424046295570417e-07, 3.7901404602356164e-08, -8.986801013193351e-09, 2.644330576999187e-09,
    -1.4165980180332847e-09, 3.6696752013169966e-10)
# sqrt(x) exp(-x) I(x) beyond, v = 8 / x from 0.002 to 1.
I0_FAR = (
    0.4021832310939289, 0.003354374787765875, 0.0001357383814901554, 1.1088120751618455e-05, 1.4749675054637197e-06,
    2.954554563202459e-07, 8.820954027968021e-08, 3.911981262896238e-08, 2.1335559055191785e-08,
    7.283060948230028e-09, -6.887277299552531e-09, -1.3236304270497523e-08, -5.143302021329796e-09,
    7.546643806471332e-09, 7.263708468031919e-09, -3.56404560813212e-09, -5.939045064288596e-09,
    1.5708225381765212e-09, 3.7208112860148616e-09, -5.953797990443787e-10, -1.7027609127429106e-09,
    1.59015223330298e-10, 4.952780242231776e-10, -2.0960476723328443e-11, -6.748123936008105e-11)
I1_FAR = (
    0.3893789589944225, -0.00973095340817875, -0.00021844961233065177, -1.4963101509605957e-05,
    -1.823736845690772e-06, -3.46107409261691e-07, -9.941824188525785e-08, -4.289914422695199e-08,
    -2.31474271565316e-08, -8.14066909628203e-09, 6.887164633385099e-09, 1.386134866265768e-08, 5.69991304086018e-09,
    -7.646648529123571e-09, -7.718002355814097e-09, 3.495627819781151e-09, 6.232526079609683e-09,
    -1.4975633963586337e-09, -3.884777803855196e-09, 5.573791978065052e-10, 1.7740711163505202e-09,
    -1.4758283066304106e-10, -5.155909251110478e-10, 1.9393160293759012e-11, 7.022739201515195e-11)
_TWO_OVER_PI = 0.6366197723675814


def _far(x: tensor, order: int) -> tuple[tensor, tensor]:
    """J and Y for x >= 8."""
    inverse = 1.0 / x
    u = fma(inverse * inverse, 128.00128001280012, -1.000020000200002)
    p = polynomial(u, P1 if order else P0)
    q = polynomial(u, Q1 if order else Q0) * inverse
    # cos and sin of x - pi/4 or x - 3 pi/4, times the root of 2
    sine, cosine = op1("math.sin", x), op1("math.cos", x)
    total, difference = sine + cosine, sine - cosine
    cosine, sine = (difference, -total) if order else (total, difference)
    size = root(inverse * 0.3183098861837907)
    return fma(p, cosine, -(q * sine)) * size, fma(p, sine, q * cosine) * size


def _near(x: tensor, order: int) -> tensor:
    u = fma(x * x, 0.03125, -1.0)
    return polynomial(u, J1_NEAR) * x if order else polynomial(u, J0_NEAR)


def _first_kind(x: tensor, order: int) -> tensor:
    size = absolute(x)
    near = _near(where(size < 8.0, size, 8.0), order)
    far, _ = _far(where(size > 8.0, size, 8.0), order)
    result = where(size < 8.0, near, where(size == math.inf, 0.0, far))
    result = where(x == x, result, x)
    return where(x < 0.0, -result, result) if order else result


def _second_kind(x: tensor, order: int) -> tensor:
    small = where(x < 8.0, x, 8.0)
    u = fma(small * small, 0.03125, -1.0)
    log = logarithm(small) * _TWO_OVER_PI
    if order:
        argument = fma(small * small, 0.03125000000000049, -1.0000000000000313)
        near = fma(polynomial(argument, Y1_NEAR), small, log * _near(small, 1) - _TWO_OVER_PI / small)
    else:
        near = fma(log, _near(small, 0), polynomial(u, Y0_NEAR))
    _, far = _far(where(x > 8.0, x, 8.0), order)
    result = where(x < 8.0, near, where(x == math.inf, 0.0, far))
    return where(x == 0.0, -math.inf, where(x < 0.0, math.nan, where(x == x, result, x)))


@in_double("j0", "The Bessel function of the first kind of order 0")
def j0(x: tensor) -> Any:
    return _first_kind(x, 0)


@in_double("j1", "The Bessel function of the first kind of order 1")
def j1(x: tensor) -> Any:
    return _first_kind(x, 1)


@in_double("y0", "The Bessel function of the second kind of order 0")
def y0(x: tensor) -> Any:
    return _second_kind(x, 0)


@in_double("y1", "The Bessel function of the second kind of order 1")
def y1(x: tensor) -> Any:
    return _second_kind(x, 1)


def _modified(x: tensor, order: int) -> tensor:
    size = absolute(x)
    near_x = where(size < 8.0, size, 8.0)
    near = polynomial(fma(near_x, 0.25, -1.0), I1_NEAR if order else I0_NEAR)
    near = near * near_x if order else near
    v = 8.0 / where(size > 8.0, where(size < 4000.0, size, 4000.0), 8.0)
    far = polynomial((v - 0.501) * (1.0 / 0.499), I1_FAR if order else I0_FAR) * root(v * 0.125)
    half = exponential(size * 0.5)  # exp(x) overflows before the result does
    result = where(size < 8.0, near, far) * half * half
    result = where(size == math.inf, size, result)
    return with_sign(result, x) if order else result


@in_double("cyl_bessel_i0", "The modified Bessel function of the first kind of order 0")
def cyl_bessel_i0(x: tensor) -> Any:
    return _modified(x, 0)


@in_double("cyl_bessel_i1", "The modified Bessel function of the first kind of order 1")
def cyl_bessel_i1(x: tensor) -> Any:
    return _modified(x, 1)


# --- other orders -------------------------------------------------------------------------------------------
@jit
def _largest(n):
    """The largest of a block of integers, or the integer."""
    if n.type.is_block():
        return largest_of(n)
    else:
        return n


@jit
def yn(n, x):
    """The Bessel function of the second kind of an integer order, by recurrence from the orders 0 and 1."""
    static_assert(n.dtype.is_int() and x.dtype.is_floating(), "yn: expects an integer order and a float")
    wide = x.to(float64)
    before, value = y0(wide), y1(wide)
    result = where(n == 0, before, value)
    for k in range(1, _largest(n)):
        # Once infinite it stays so.
        following = where(value == float("-inf"), value, 2.0 * k / wide * value - before)
        before = value
        value = following
        result = where(n == k + 1, value, result)
    return where((n < 0) | (wide < 0), float("nan"), result).to(x.dtype)


@jit
def jn(n, x):
    """The Bessel function of the first kind of an integer order.

    By recurrence upwards below the argument; above it, where that loses all digits, downwards from an
    order so high that its value does not count.
    """
    static_assert(n.dtype.is_int() and x.dtype.is_floating(), "jn: expects an integer order and a float")
    wide = x.to(float64)
    size = where(wide < 0, -wide, wide)
    largest = _largest(n)
    before, value = j0(size), j1(size)
    upwards = where(n == 0, before, value)
    for k in range(1, largest):
        following = 2.0 * k / size * value - before
        before = value
        value = following
        upwards = where(n == k + 1, value, upwards)
    # sum: J0 + 2 (J2 + J4 + ...) = 1
    start = (largest + (10.0 + 7.0 * square_root(largest + 0.0)).to(n.dtype) + 16) // 2 * 2
    above, here = size * 0.0, size * 0.0 + 1e-300
    wanted, total = size * 0.0, size * 0.0
    for step in range(0, start):
        k = start - step
        below = 2.0 * k / size * here - above
        above = here
        here = below
        is_large = (here > 1e200) | (here < -1e200)
        scale = where(is_large, 1e-200, 1.0)
        here, above, wanted, total = here * scale, above * scale, wanted * scale, total * scale
        wanted = where(n == k - 1, here, wanted)
        total += where((k - 1) % 2 == 0, where(k == 1, here, 2.0 * here), 0.0)
    downwards = wanted / total
    result = where(n < 2, upwards, where(size > n, upwards, downwards))
    result = where(size == 0, where(n == 0, 1.0, 0.0), where(size == float("inf"), 0.0, result))
    result = where((wide < 0) & (n % 2 != 0), -result, result)
    return where(n < 0, float("nan"), where(wide == wide, result, wide)).to(x.dtype)


FUNCTIONS = [cyl_bessel_i0, cyl_bessel_i1, j0, j1, jn, y0, y1, yn]
