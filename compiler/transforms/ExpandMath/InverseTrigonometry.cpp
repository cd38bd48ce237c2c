//===- InverseTrigonometry.cpp - asin, acos, atan, atan2 ------------------===//
#include "compiler/transforms/ExpandMath/Expansions.h"
#include "compiler/transforms/ExpandMath/FloatFormat.h"

using namespace tile;
using namespace tile::expand;

/// atan(t) = t + t^3 P(t^2) on [0, 1].
static constexpr double kAtan32[] = {-0x1.55553ep-2, 0x1.9991fep-3,  -0x1.2421b8p-3,
                                     0x1.c09a1p-4,   -0x1.5834bep-4, 0x1.daca6ep-5,
                                     -0x1.fed25ap-6, 0x1.65a75p-7,   -0x1.d63182p-10};
static constexpr double kAtan64[] = {
    -0x1.555555555554dp-2, 0x1.9999999998c26p-3, -0x1.2492492456a8fp-3,  0x1.c71c71b6287b8p-4,
    -0x1.745d15d0253cfp-4, 0x1.3b139bcdf1b8bp-4, -0x1.1110326217e4bp-4,  0x1.e1d486bc7c53fp-5,
    -0x1.aeda501d0f11fp-5, 0x1.84b448972ab98p-5, -0x1.5f240c5ac419ep-5,  0x1.39041eecd8f84p-5,
    -0x1.0c93afd810180p-5, 0x1.ac77169db294cp-6, -0x1.30f8927a472fdp-6,  0x1.72d997c276e8dp-7,
    -0x1.6fce05fd9e2fbp-8, 0x1.1a0141f4d6504p-9, -0x1.36d6241e298cdp-11, 0x1.b3a766e959a74p-14,
    -0x1.225ff70a0a16fp-17};

/// asin(x) = x + x^3 P(x^2) on [0, 1/2].
static constexpr double kAsin32[] = {0x1.55554cp-3, 0x1.33388p-4,  0x1.6cae4ep-5,
                                     0x1.049632p-5, 0x1.d8d6b2p-7, 0x1.3370aap-5};
static constexpr double kAsin64[] = {
    0x1.5555555555577p-3, 0x1.333333332e08ep-4, 0x1.6db6db7219db3p-5, 0x1.f1c71a92271e5p-6,
    0x1.6e8bdf2fe62e7p-6, 0x1.1c49eaaf5c21dp-6, 0x1.ca2018110a780p-7, 0x1.7581053781810p-7,
    0x1.6156603346a3bp-7, 0x1.e467705f856a5p-9, 0x1.6417f373dfa78p-6, -0x1.58afbb686f330p-6,
    0x1.0b7f90835dc29p-5};

static double getHalfPi(Lanes x) { return choose(x, 0x1.921fb6p+0, 0x1.921fb54442d18p+0); }
static double getHalfPiLow(Lanes x) { return choose(x, -0x1.777a5cp-25, 0x1.1a62633145c07p-54); }

/// What x + x^3 P(x^2) adds to x.
static Lanes oddTail(Lanes x, llvm::ArrayRef<double> coefficients) {
  Lanes square = x * x;
  return x * square * polynomial(square, coefficients);
}

/// `multiple * pi/2 - (x + tail)`.
static Lanes subtractFromHalfPi(double multiple, Lanes x, Lanes tail) {
  Lanes high = multiple * getHalfPi(x) - x;
  Lanes lost = (multiple * getHalfPi(x) - high) - x;
  return high + (lost + (multiple * getHalfPiLow(x) - tail));
}

Lanes expand::atan(Lanes x) {
  Lanes magnitude = abs(x);
  Lanes isLarge = magnitude > 1.0;
  Lanes t = select(isLarge, 1.0 / magnitude, magnitude);
  Lanes tail = oddTail(t, choose(x, kAtan32, kAtan64));
  return copySign(select(isLarge, subtractFromHalfPi(1.0, t, tail), t + tail), x);
}

Lanes expand::atan2(Lanes y, Lanes x) {
  Lanes a = abs(x), b = abs(y);
  Lanes isSteep = b > a;
  Lanes small = select(isSteep, a, b), large = select(isSteep, b, a);
  // 0 / 0 and infinity / infinity are meant as 0 and 1.
  Lanes isSame = (small == large) & (large == kInfinity);
  Lanes t = select(isSame, 1.0, select(large == 0.0, small, small / large));
  Lanes tail = oddTail(t, choose(x, kAtan32, kAtan64));
  Lanes angle = select(isSteep, subtractFromHalfPi(1.0, t, tail), t + tail);
  // A negative x, zero included, mirrors the angle.
  Lanes opposite =
      select(isSteep, subtractFromHalfPi(1.0, -t, -tail), subtractFromHalfPi(2.0, t, tail));
  Lanes isNegative = x.asInt() < x.asInt().like(0);
  Lanes result = select(isNegative, opposite, angle);
  return copySign(select((x == x) & (y == y), result, x + y), y);
}

/// sqrt((1 - x) / 2), of which the arc sine is half the arc cosine of x.
static Lanes halfAngle(Lanes x) { return sqrt((1.0 - x) * 0.5); }

Lanes expand::asin(Lanes x) {
  Lanes magnitude = abs(x);
  Lanes isLarge = magnitude > 0.5;
  Lanes t = select(isLarge, halfAngle(magnitude), magnitude);
  Lanes tail = oddTail(t, choose(x, kAsin32, kAsin64));
  Lanes large = subtractFromHalfPi(1.0, t + t, tail + tail);
  return copySign(select(isLarge, large, t + tail), x);
}

Lanes expand::acos(Lanes x) {
  Lanes magnitude = abs(x);
  Lanes isLarge = magnitude > 0.5;
  Lanes t = select(isLarge, halfAngle(magnitude), copySign(magnitude, x));
  Lanes tail = oddTail(t, choose(x, kAsin32, kAsin64));
  Lanes twice = t + t, twiceTail = tail + tail;
  Lanes large = select(x < 0.0, subtractFromHalfPi(2.0, twice, twiceTail), twice + twiceTail);
  return select(isLarge, large, subtractFromHalfPi(1.0, t, tail));
}
