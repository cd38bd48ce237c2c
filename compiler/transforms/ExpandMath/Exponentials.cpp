//===- Exponentials.cpp - exp and its relatives ---------------------------===//
#include "compiler/transforms/ExpandMath/Expansions.h"
#include "compiler/transforms/ExpandMath/FloatFormat.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tile;
using namespace tile::expand;

static constexpr double kLog2E = 0x1.71547652b82fep+0;
/// ln(2) as a sum of two numbers, for each type.
static constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
static constexpr double kLn2High32 = 0x1.62e43p-1, kLn2Low32 = -0x1.05c61p-29;

/// e^r = 1 + r + r^2 P(r) on |r| <= ln(2)/2.
static constexpr double kExp32[] = {0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558f2p-5, 0x1.1239f2p-7,
                                    0x1.6a2432p-10};
static constexpr double kExp64[] = {
    0x1.000000000000ap-1,  0x1.55555555554fap-3,  0x1.555555555086dp-5,  0x1.1111111127c66p-7,
    0x1.6c16c1842dae3p-10, 0x1.a01a012a337f5p-13, 0x1.a0199a01e7f31p-16, 0x1.71df2591b92a3p-19,
    0x1.28ad7d0d1fcbbp-22, 0x1.ad7f27203f702p-26};

/// e^r = 1 + r + r^2/2 + r^3 P(r) on |r| <= ln(2)/2.
static constexpr double kExpM1Of32[] = {0x1.555554p-3, 0x1.5554f2p-5, 0x1.1111c4p-7, 0x1.6d40c8p-10,
                                        0x1.9fc92ep-13};
static constexpr double kExpM1Of64[] = {
    0x1.5555555555559p-3,  0x1.5555555555549p-5,  0x1.111111110f7c7p-7,  0x1.6c16c16c1c87cp-10,
    0x1.a01a01af861fep-13, 0x1.a01a0184c447dp-16, 0x1.71ddf92683163p-19, 0x1.27e526b813a42p-22,
    0x1.af5d7573feb52p-26, 0x1.1efd120a6dc9fp-29};

/// 2^r = 1 + r P(r) on |r| <= 1/2.
static constexpr double kExp2Of32[] = {0x1.62e43p-1,   0x1.ebfbep-3,   0x1.c6b056p-5, 0x1.3b2a1cp-7,
                                       0x1.5dc056p-10, 0x1.443fb8p-13, 0x1.c0497ep-17};
static constexpr double kExp2Of64[] = {
    0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0d6p-5,  0x1.3b2ab6fba4ea8p-7,
    0x1.5d87fe78a12eep-10, 0x1.430912f8598d1p-13, 0x1.ffcbfc7acc9d1p-17, 0x1.62c0229a7b83dp-20,
    0x1.b524d0d792818p-24, 0x1.e4cd9d5dd3c22p-28, 0x1.ea143e9d08a0dp-32, 0x1.c6d971a0ed6e1p-36};

/// For 2^(x/unit). Beyond the bounds results are infinite or zero, and stay so at
/// the bounds, also when halved.
static Lanes clampExponent(Lanes x, double unit) {
  Lanes low = clampBelow(x, choose(x, -151.0, -1076.0) * unit);
  return clampAbove(low, choose(x, 130.0, 1026.0) * unit);
}

namespace {
/// x = n ln(2) + rest.
struct ExpParts {
  Rounded n;
  Lanes rest;
};
} // namespace

/// For `x` within the bounds of clampExponent.
static ExpParts splitExp(Lanes x) {
  Rounded n = roundProduct(x, kLog2E);
  // n times the first part of ln(2), subtracted from x, is nearly exact.
  Lanes r = fma(n.real, Number(-choose(x, kLn2High32, kLn2)), x);
  r = fma(n.real, Number(-choose(x, kLn2Low32, kLn2Low)), r);
  return {n, r};
}

/// e^x * 2^offset, which may be finite where e^x is not.
static Lanes expScaled(Lanes x, int offset) {
  ExpParts parts = splitExp(clampExponent(x, kLn2));
  Lanes r = parts.rest;
  Lanes tail = polynomial(r, choose(x, kExp32, kExp64));
  Lanes power = offset ? parts.n.integer + offset : parts.n.integer;
  return scaleByPower(fma(r * r, tail, r) + 1.0, power);
}

Lanes expand::exp(Lanes x) { return expScaled(x, 0); }
Lanes expand::halfExp(Lanes x) { return expScaled(x, -1); }

Lanes expand::expm1(Lanes x) {
  // At the bounds the result is -1 to the last place, and infinite.
  Lanes low = clampBelow(x, choose(x, -20.0, -40.0));
  Lanes bounded = clampAbove(low, choose(x, 128.4, 1024.4) * kLn2);
  ExpParts parts = splitExp(bounded);
  Lanes r = parts.rest, square = r * r;
  Lanes cubic = polynomial(r, choose(x, kExpM1Of32, kExpM1Of64));
  Lanes rest = fma(square, fma(r, cubic, Number(0.5)), r);
  // 2^n (1 + rest) - 1, halved: 2^(n-1) is finite where the result is.
  int bits = getSignificandBits(x), bias = getExponentBias(x);
  Lanes half = ((parts.n.integer + (bias - 1)) << bits).asFloat(x.getElement());
  Lanes sum = fma(half, rest, half - 0.5);
  // The sign of zero is lost in the sum.
  return select(x == 0.0, x, sum + sum);
}

Lanes expand::exp2(Lanes x) {
  Lanes clamped = clampExponent(x, 1.0);
  Rounded n = roundProduct(clamped, 1.0);
  Lanes r = clamped - n.real;
  Lanes tail = polynomial(r, choose(x, kExp2Of32, kExp2Of64));
  return scaleByPower(fma(r, tail, Number(1.0)), n.integer);
}

Lanes expand::expByNativeExp2(Lanes x) {
  // e^x = 2^t e^(x - t ln 2) with t a little nearer to zero than x log2(e), so that what is left
  // has the sign of x, and is below 2^-15 where results are finite: e^left = 1 + left. Where
  // they are not, powers are infinite or zero and what is left is of the right sign, or NaN,
  // which the bound takes away: so infinities need no care.
  Lanes t = x * choose(x, 0x1.71547p+0, 0x1.71547652b82f8p+0);
  Lanes left = fma(t, Number(-choose(x, kLn2High32, kLn2)), x);
  left = fma(t, Number(-choose(x, kLn2Low32, kLn2Low)), left);
  left = minimum(left, left.like(0x1p-10));
  LaneBuilder &at = x.getBuilder();
  Lanes power(at, at.create<math::Exp2Op>(Value(t)).getResult());
  return fma(power, left, power);
}

Lanes expand::roughExpByNativeExp2(Lanes x) {
  LaneBuilder &at = x.getBuilder();
  Lanes t = x * kLog2E;
  return {at, at.create<math::Exp2Op>(Value(t)).getResult()};
}
