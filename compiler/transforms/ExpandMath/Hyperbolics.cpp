//===- Hyperbolics.cpp - Hyperbolic functions and their inverses ----------===//
#include "compiler/transforms/ExpandMath/Expansions.h"
#include "compiler/transforms/ExpandMath/FloatFormat.h"

using namespace tile;
using namespace tile::expand;

static constexpr double kLn2 = 0x1.62e42fefa39efp-1;

Lanes expand::tanh(Lanes x) {
  // (e^2x - 1) / (e^2x + 1) with t = e^2x - 1; 1 to the last place at the bound.
  Lanes t = expm1(2.0 * clampAbove(abs(x), choose(x, 10.0, 20.0)));
  return copySign(t / (t + 2.0), x);
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
