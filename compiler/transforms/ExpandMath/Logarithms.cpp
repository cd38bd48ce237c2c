//===- Logarithms.cpp - log and its relatives -----------------------------===//
#include "compiler/transforms/ExpandMath/Expansions.h"
#include "compiler/transforms/ExpandMath/FloatFormat.h"

using namespace tile;
using namespace tile::expand;

/// log(1+f) = f + f^2 P(f) on [-1/3, 1/3].
static constexpr double kLogOf32[] = {-0x1p-1,        0x1.555506p-2, -0x1.fffef8p-3,
                                      0x1.99d052p-3,  -0x1.559ccp-3, 0x1.1ed52ap-3,
                                      -0x1.f3293ap-4, 0x1.1e6e2ap-3, -0x1.07d88ap-3};
/// log(1+f) = f - f^2/2 + f^3 P(f) on [sqrt(1/2)-1, sqrt(2)-1].
static constexpr double kLog32[] = {0x1.555548p-2,  -0x1.000006p-2, 0x1.99a4b6p-3,
                                    -0x1.555c4ep-3, 0x1.23376ap-3,  -0x1.fc220ap-4,
                                    0x1.e6f052p-4,  -0x1.de3bdep-4, 0x1.14578p-4};
/// log(1+f) = 2s + s z P(z) with s = f/(2+f), z = s^2, on the same interval. The
/// division costs less than the ten coefficients more of the form above.
static constexpr double kLog64[] = {
    0x1.5555555555593p-1, 0x1.999999997fb2dp-2, 0x1.2492494217d16p-2, 0x1.c71c51e7d6fcbp-3,
    0x1.7466463275675p-3, 0x1.39a0f473b887bp-3, 0x1.2f0d9409b31d3p-3};

namespace {
/// x = 2^exponent * m, m in [sqrt(1/2), sqrt(2)): log(m) = high + low.
struct LogParts {
  Lanes exponent;
  Lanes high;
  Lanes low;
};
} // namespace

/// For positive finite `x`; no meaning, but defined, otherwise.
static LogParts splitLog(Lanes x) {
  int bits = getSignificandBits(x);
  Lanes isSmall = x < getLeastNormal(x);
  Lanes normal = select(isSmall, x * double(uint64_t(1) << bits), x);
  Lanes pattern = normal.asInt();
  int64_t root = isDouble(x) ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  Lanes exponent = (pattern - root) >> bits;
  Lanes f = (pattern - (exponent << bits)).asFloat(x.getElement()) - 1.0;
  Lanes shifted = exponent + select(isSmall, exponent.like(-bits), exponent.like(0));

  Lanes halfSquare = f * f * 0.5;
  Lanes high = f - halfSquare;
  Lanes lost = (f - high) - halfSquare;
  if (isDouble(x)) {
    Lanes s = f / (f + 2.0), z = s * s;
    Lanes rest = z * polynomial(z, kLog64);
    return {shifted.toFloat(x.getElement()), high, fma(s, halfSquare + rest, lost)};
  }
  return {shifted.toFloat(x.getElement()), high, fma(f * f * f, polynomial(f, kLog32), lost)};
}

/// `result` for positive finite `x`, else the limits of a logarithm.
static Lanes selectLogDomain(Lanes x, Lanes result) {
  // As an unsigned number an infinity is the first pattern that is no such number.
  Lanes infinity = x.like(kInfinity);
  Lanes isFinite = lessUnsigned(x.asInt(), infinity.asInt());
  // Of an infinity itself, of NaN NaN, of negative numbers the difference of infinities: NaN.
  Lanes special = fma(x, infinity, infinity);
  return select(x == 0.0, -kInfinity, select(isFinite, result, special));
}

/// exponent * ln(2) + log(m).
static Lanes joinLog(LogParts parts) {
  Lanes x = parts.high;
  double high = choose(x, 0x1.62e43p-1, 0x1.62e42fefa39efp-1);
  double low = choose(x, -0x1.05c61p-29, 0x1.abc9e3b39803fp-56);
  Lanes mantissa = parts.high + fma(parts.exponent, Number(low), parts.low);
  return fma(parts.exponent, Number(high), mantissa);
}

/// The logarithm of positive finite `x` of f32. Its result is rounded: what others compute from
/// it takes the parts of splitLog.
static Lanes logOf32(Lanes x) {
  Lanes isSmall = x < getLeastNormal(x);
  Lanes pattern = select(isSmall, x * 0x1p23, x).asInt();
  // x = 2^exponent * (1+f), from 2/3 to 4/3. The exponent stays where it is in the pattern.
  Lanes shifted = (pattern - 0x3f2aaaab) & -(1 << 23);
  Lanes f = (pattern - shifted).asFloat(x.getElement()) - 1.0;
  Lanes offset = select(isSmall, x.like(-23.0), x.like(0.0));
  Lanes exponent = fma(shifted.toFloat(x.getElement()), Number(0x1p-23), offset);
  Lanes mantissa = fma(polynomial(f, kLogOf32) * f, f, f);
  return fma(exponent, Number(0x1.62e43p-1), mantissa);
}

Lanes expand::log(Lanes x) {
  return selectLogDomain(x, isDouble(x) ? joinLog(splitLog(x)) : logOf32(x));
}

Lanes expand::log1p(Lanes x) {
  // log(u) + lost / u, where u = 1 + x is rounded and lost is what that loses.
  Lanes u = x + 1.0, rounded = u - 1.0;
  Lanes lost = (1.0 - (u - rounded)) + (x - rounded);
  LogParts parts = splitLog(u);
  parts.low = parts.low + lost / u;
  // The sign of zero is lost in the sum.
  return select(x == 0.0, x, selectLogDomain(u, joinLog(parts)));
}

/// (exponent * unit + log(m)) * scale, with unit * scale given as two numbers.
static Lanes scaleLog(Lanes x, double scale, double scaleLow, double unit, double unitLow) {
  LogParts parts = splitLog(x);
  Lanes high = parts.high * scale;
  Lanes low = fma(parts.high, Number(scale), -high);
  low = fma(parts.low, Number(scale), fma(parts.high, Number(scaleLow), low));
  low = fma(parts.exponent, Number(unitLow), low);
  // |exponent * unit| is zero or the larger one, so that the difference is exact.
  Lanes whole = parts.exponent * unit;
  Lanes sum = whole + high;
  low = low + ((whole - sum) + high) + fma(parts.exponent, Number(unit), -whole);
  return selectLogDomain(x, sum + low);
}

Lanes expand::log2(Lanes x) {
  return scaleLog(x, choose(x, 0x1.715476p+0, 0x1.71547652b82fep+0),
                  choose(x, 0x1.4ae0cp-26, 0x1.777d0ffda0d24p-56), 1.0, 0.0);
}

Lanes expand::log10(Lanes x) {
  return scaleLog(x, choose(x, 0x1.bcb7b2p-2, 0x1.bcb7b1526e50ep-2),
                  choose(x, -0x1.5b235ep-27, 0x1.95355baaafad3p-57),
                  choose(x, 0x1.344136p-2, 0x1.34413509f79ffp-2),
                  choose(x, -0x1.ec10cp-27, -0x1.9dc1da994fd21p-59));
}
