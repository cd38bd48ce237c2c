//===- Remainder.cpp - The exact remainder of a division ------------------===//
#include "compiler/transforms/ExpandMath/Expansions.h"
#include "compiler/transforms/ExpandMath/FloatFormat.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace tile;
using namespace tile::expand;

/// Bits of the quotient a step: with the 24 of the divisor, their product is
/// exact in f64 even if the quotient is one too large.
static constexpr int kStepBits = 28;
/// Largest exponent of f32 less the least of a subnormal number, in steps.
static constexpr int kSteps = (128 + 149 + kStepBits - 1) / kStepBits;

static Lanes truncate(Lanes x) {
  LaneBuilder &at = x.getBuilder();
  return {at, at.create<mlir::math::TruncOp>(mlir::Value(x)).getResult()};
}

/// Long division in f64, which holds all bits of each partial remainder.
Lanes expand::remf(Lanes x, Lanes y) {
  mlir::Type single = x.getElement(), twice = mlir::Float64Type::get(single.getContext());
  Lanes rest = abs(x).extendFloat(twice), divisor = abs(y).extendFloat(twice);
  Lanes inverse = 1.0 / divisor;
  for (int step = kSteps - 1; step >= 0; --step) {
    double scale = std::ldexp(1.0, step * kStepBits);
    Lanes multiple = divisor * scale;
    Lanes quotient = truncate(rest * (inverse * (1.0 / scale)));
    rest = fma(-quotient, multiple, rest);
    // The rounded inverse may give one too many or too few.
    rest = select(rest < 0.0, rest + multiple, rest);
    rest = select(rest >= multiple, rest - multiple, rest);
  }
  Lanes result = copySign(rest.truncateFloat(single), x);
  // An infinite divisor has no multiples; a zero one, and an infinite x, gave NaN.
  Lanes isIdentity = (abs(y) == kInfinity) & (abs(x) < kInfinity);
  return select(isIdentity, x, result);
}
