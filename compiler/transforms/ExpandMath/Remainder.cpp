//===- Remainder.cpp - The exact remainder of a division ------------------===//
#include "compiler/transforms/ExpandMath/Expansions.h"
#include "compiler/transforms/ExpandMath/FloatFormat.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

//===----------------------------------------------------------------------===//
// f64: no wider type holds a partial remainder
//===----------------------------------------------------------------------===//

static constexpr int kMantissaBits = 52, kBias = 1023;
/// Bits of the quotient a step: below 2^52 a rounded quotient is at most one
/// too large, and what is left then is a multiple of the divisor's last place
/// below the divisor: the fused product gives it exactly.
static constexpr int kWideStepBits = 51;
/// Steps from the largest exponent to that of the least subnormal number.
static constexpr int kWideSteps = (1024 + 1074 + kWideStepBits - 1) / kWideStepBits;

/// floor(log2(x)) of a positive finite x.
static Lanes getExponent(Lanes x) {
  constexpr double kLeastNormal = 0x1p-1022, kUp = 0x1p54;
  Lanes isTiny = x < kLeastNormal;
  Lanes bits = select(isTiny, x * kUp, x).asInt();
  Lanes exponent = shiftUnsigned(bits, kMantissaBits) - kBias;
  return select(isTiny, exponent - 54, exponent);
}

/// 2^exponent, for exponents of normal numbers.
static Lanes getPower(Lanes exponent, mlir::Type element) {
  return ((exponent + kBias) << kMantissaBits).asFloat(element);
}

/// Takes from `rest` where it reaches `divisor` as many multiples as one step can.
static Lanes takeMultiples(Lanes rest, Lanes divisor, Lanes isActive) {
  Lanes distance = getExponent(rest) - getExponent(divisor) - kWideStepBits;
  distance = select(distance < 0, 0, distance);
  // In two factors, of which each is a number.
  Lanes half = distance >> 1;
  Lanes multiple =
      divisor * getPower(half, rest.getElement()) * getPower(distance - half, rest.getElement());
  Lanes left = fma(-truncate(rest / multiple), multiple, rest);
  return select(isActive, select(left < 0.0, left + multiple, left), rest);
}

static mlir::Value isAny(Lanes lanes) {
  mlir::Value value = lanes;
  if (!llvm::isa<mlir::VectorType>(value.getType()))
    return value;
  return lanes.getBuilder().create<mlir::vector::ReductionOp>(mlir::vector::CombiningKind::OR,
                                                              value);
}

/// Steps until no lane is left; blocks of a program take all steps.
static Lanes repeatSteps(Lanes rest, Lanes divisor, Lanes isValid) {
  LaneBuilder &at = rest.getBuilder();
  mlir::OpBuilder &b = at.getBuilder();
  mlir::Location loc = mlir::Value(rest).getLoc();
  mlir::OpBuilder::InsertionGuard guard(b);
  auto step = [&](mlir::Value carried) {
    Lanes now(at, carried);
    return takeMultiples(now, divisor, isValid & (now >= divisor));
  };
  if (llvm::isa<mlir::RankedTensorType>(rest.getType())) {
    auto bound = [&](int64_t value) -> mlir::Value {
      return mlir::arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
    };
    auto loop = mlir::scf::ForOp::create(b, loc, bound(0), bound(kWideSteps), bound(1),
                                         mlir::ValueRange{rest});
    b.setInsertionPointToStart(loop.getBody());
    mlir::scf::YieldOp::create(b, loc, mlir::Value(step(loop.getRegionIterArg(0))));
    return {at, loop.getResult(0)};
  }
  mlir::Type type = rest.getType();
  auto loop = mlir::scf::WhileOp::create(b, loc, type, mlir::Value(rest));
  mlir::Block *before = b.createBlock(&loop.getBefore(), {}, type, loc);
  Lanes tested(at, before->getArgument(0));
  mlir::scf::ConditionOp::create(b, loc, isAny(isValid & (tested >= divisor)),
                                 before->getArguments());
  mlir::Block *after = b.createBlock(&loop.getAfter(), {}, type, loc);
  mlir::scf::YieldOp::create(b, loc, mlir::Value(step(after->getArgument(0))));
  return {at, loop.getResult(0)};
}

Lanes expand::remfWide(Lanes x, Lanes y) {
  Lanes divisor = abs(y);
  // Neither NaN nor a case without a remainder.
  Lanes isValid = (divisor > 0.0) & (abs(x) < kInfinity);
  Lanes rest = repeatSteps(abs(x), divisor, isValid);
  return select(isValid, copySign(rest, x), kNaN);
}
