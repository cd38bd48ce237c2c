//===- NarrowArithmetic.cpp - Arithmetic on 16-bit floats, in f32 ---------===//
#include "compiler/transforms/ExpandCasts/NarrowArithmetic.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tile;

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

static bool isFromInt(Operation *op) { return isa<arith::SIToFPOp, arith::UIToFPOp>(op); }

bool tile::isNarrowArithmetic(Operation *op, const NarrowFloatFacts &facts) {
  // f32 has more than twice the bits, so that rounding its result is rounding once.
  bool computes = isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp,
                      arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
                      arith::CmpFOp, arith::FPToSIOp, arith::FPToUIOp, math::FmaOp>(op);
  if (!computes && !isFromInt(op))
    return false;
  Value value = isFromInt(op) ? op->getResult(0) : op->getOperand(0);
  Type element = getElementType(value.getType());
  return isHalf(element) && !facts.hasArithmetic(element);
}

/// An integer that f64 holds and that rounds to a narrow float as `x` does: the
/// low bits, if any is set, are replaced by one that is.
static Lanes keepSticky(Lanes x, bool isSigned) {
  // Numbers of less than 53 bits are exact as they are.
  constexpr int64_t kLimit = int64_t(1) << 52, kLow = 0xfff;
  Lanes sticky = select((x & kLow) != 0, x.like(kLow + 1), x.like(0));
  Lanes rounded = (x & ~kLow) | sticky;
  Lanes isSmall = isSigned ? lessUnsigned(x + kLimit, 2 * kLimit) : lessUnsigned(x, kLimit);
  return select(isSmall, x, rounded);
}

template <typename OpT> static Lanes convertInt(Lanes x, Type element) {
  LaneBuilder &at = x.getBuilder();
  return {at, at.create<OpT>(withElementType(x.getType(), element), Value(x)).getResult()};
}

static void replace(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

/// i16 and narrower are exact in f32, others (64 bits with a sticky bit) in f64.
static void widenFromInt(Operation *op, LaneBuilder &at, const NarrowFloatFacts &facts) {
  MLIRContext *context = op->getContext();
  bool isSigned = isa<arith::SIToFPOp>(op);
  Lanes x(at, op->getOperand(0));
  auto to = cast<FloatType>(getElementType(op->getResult(0).getType()));
  Type wide = x.getWidth() <= 16 ? Type(Float32Type::get(context)) : Float64Type::get(context);
  if (x.getWidth() > 32)
    x = keepSticky(x, isSigned);
  Lanes exact =
      isSigned ? convertInt<arith::SIToFPOp>(x, wide) : convertInt<arith::UIToFPOp>(x, wide);
  replace(op, convertFloat(exact, to, Rounding::NearestEven, facts));
}

/// a * b + c rounded to odd: away from even numbers where it is not exact, so that
/// rounding it to a type of half the bits is rounding once. f32 has too few bits
/// for that, and products of narrow floats are exact in f64.
static Lanes fuseToOdd(Lanes a, Lanes b, Lanes c) {
  Lanes product = a * b, sum = product + c;
  Lanes part = sum - product;
  Lanes error = (product - (sum - part)) + (c - part);
  Lanes bits = sum.asInt(), zero = error.like(0.0);
  Lanes isAbove = error > zero, isInexact = isAbove | (error < zero);
  Lanes pointsAway = isAbove ^ (sum < zero);
  Lanes next = select(pointsAway, bits + 1, bits - 1);
  Lanes isEven = (bits & 1) == bits.like(0);
  return select(isInexact & isEven, next, bits).asFloat(sum.getElement());
}

static void widenFma(math::FmaOp op, LaneBuilder &at, const NarrowFloatFacts &facts) {
  FloatType wide = Float64Type::get(op->getContext());
  auto widen = [&](Value operand) {
    return convertFloat({at, operand}, wide, Rounding::NearestEven, facts);
  };
  Lanes sum = fuseToOdd(widen(op.getA()), widen(op.getB()), widen(op.getC()));
  auto narrow = cast<FloatType>(getElementType(op.getType()));
  replace(op, convertFloat(sum, narrow, Rounding::NearestEven, facts));
}

void tile::widenArithmetic(Operation *op, LaneBuilder &at, const NarrowFloatFacts &facts) {
  if (isFromInt(op))
    return widenFromInt(op, at, facts);
  if (auto fma = dyn_cast<math::FmaOp>(op))
    return widenFma(fma, at, facts);
  FloatType single = Float32Type::get(op->getContext());
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) {
    return Value(convertFloat({at, operand}, single, Rounding::NearestEven, facts));
  });
  Type result = op->getResult(0).getType();
  auto narrow = dyn_cast<FloatType>(getElementType(result));
  OperationState state(op->getLoc(), op->getName(), operands,
                       narrow ? withElementType(result, single) : result, op->getAttrs());
  Value value = at.getBuilder().create(state)->getResult(0);
  replace(op,
          narrow ? Value(convertFloat({at, value}, narrow, Rounding::NearestEven, facts)) : value);
}
