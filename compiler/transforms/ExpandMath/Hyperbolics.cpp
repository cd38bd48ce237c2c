//===- Hyperbolics.cpp - Hyperbolic functions and their inverses ----------===//
#include "compiler/transforms/ExpandMath/Expansions.h"
#include "compiler/transforms/ExpandMath/FloatFormat.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tile;
using namespace tile::expand;

static constexpr double kLn2 = 0x1.62e42fefa39efp-1;

/// 1 / y within a unit in the last place or two, where that is a normal number or zero.
static Lanes invert(Lanes y) {
  LaneBuilder &at = y.getBuilder();
  auto flags = arith::FastMathFlags::afn | arith::FastMathFlags::arcp;
  return {at, at.create<arith::DivFOp>(Value(y.like(1.0)), Value(y), flags).getResult()};
}

Lanes expand::tanh(Lanes x) {
  // (e^2x - 1) / (e^2x + 1) with t = e^2x - 1; 1 to the last place at the bound.
  Lanes t = expm1(2.0 * clampAbove(abs(x), choose(x, 10.0, 20.0)));
  return copySign(t / (t + 2.0), x);
}

/// tanh(x) = x + x s P(s) with s = x^2, for |x| <= 0.6.
static constexpr double kTanhOf32[] = {-0x1.55553ep-2, 0x1.1109bep-3, -0x1.b89abap-5, 0x1.54c3c2p-6,
                                       -0x1.828776p-8};

Lanes expand::tanhByNativeExp2(Lanes x) {
  // 1 - 2 / (e^2x + 1), of which the difference keeps enough beyond the bound.
  Lanes magnitude = abs(x), square = x * x;
  LaneBuilder &at = x.getBuilder();
  Lanes exponent = magnitude * 0x1.715476p+1;
  Lanes power(at, at.create<math::Exp2Op>(Value(exponent)).getResult());
  Lanes far = copySign(fma(invert(power + 1.0), Number(-2.0), x.like(1.0)), x);
  Lanes near = fma(polynomial(square, kTanhOf32) * square, x, x);
  return select(magnitude < 0.6, near, far);
}

Lanes expand::sinh(Lanes x) {
  // With t = e^x - 1 the difference of powers has no cancellation. From 1 on
  // it has none either, and e^x / 2 reaches further.
  Lanes magnitude = abs(x);
  Lanes t = expm1(clampAbove(magnitude, 2.0));
  Lanes near = 0.5 * (t + t / (t + 1.0));
  Lanes half = halfExp(magnitude);
  Lanes far = half - 0.25 / half;
  return copySign(select(magnitude < 1.0, near, far), x);
}

Lanes expand::cosh(Lanes x) {
  Lanes half = halfExp(abs(x));
  return half + 0.25 / half;
}

/// From here on x^2 + 1 and x^2 - 1 are x^2, and log(2x) is meant.
static double getLargeLimit(Lanes x) { return choose(x, 0x1p13, 0x1p28); }

/// log(2x) without overflow.
static Lanes logTwice(Lanes x) { return log(x) + kLn2; }

Lanes expand::asinh(Lanes x) {
  // log(x + sqrt(x^2 + 1)) = log1p(x + (sqrt(x^2 + 1) - 1)), without cancellation.
  Lanes magnitude = abs(x), square = magnitude * magnitude;
  Lanes near = log1p(magnitude + square / (1.0 + sqrt(square + 1.0)));
  Lanes result = select(magnitude < getLargeLimit(x), near, logTwice(magnitude));
  return copySign(result, x);
}

Lanes expand::acosh(Lanes x) {
  // t = x - 1 is exact near one.
  Lanes t = x - 1.0;
  Lanes near = log1p(t + sqrt(fma(t, t, t + t)));
  Lanes result = select(x < getLargeLimit(x), near, logTwice(x));
  return select(x < 1.0, kNaN, result);
}

Lanes expand::atanh(Lanes x) {
  // log((1 + x) / (1 - x)) / 2 = log1p(2x + 2x^2 / (1 - x)) / 2.
  Lanes magnitude = abs(x), twice = magnitude + magnitude;
  Lanes quotient = magnitude / (1.0 - magnitude);
  Lanes near = log1p(fma(twice, quotient, twice)), far = log1p(twice / (1.0 - magnitude));
  return copySign(0.5 * select(magnitude < 0.5, near, far), x);
}
