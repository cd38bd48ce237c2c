//===- NarrowComparisons.cpp - Compare in 32 bits -------------------------===//
#include "compiler/transforms/NarrowComparisons/NarrowComparisons.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace tile {
#define GEN_PASS_DEF_NARROWCOMPARISONS
#include "compiler/transforms/NarrowComparisons/NarrowComparisons.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

/// Small numbers are from zero to this. A power of two: bounds that are cut off here are still
/// multiples of what they were before.
static constexpr int64_t kMost = int64_t(1) << 30;
/// Of a scalar: sums and differences of many do not wrap.
static constexpr unsigned kMostBits = 48;
/// Steps from a scalar to what it is computed from, and scalars of a sum, that are looked at.
static constexpr unsigned kMostSteps = 8, kMostScalars = 8;

namespace {
/// narrow + scalars: small numbers of 32 bits, extended.
struct Sum {
  Value narrow;
  SmallVector<Value, 2> scalars;
};

struct NarrowComparisonsPass : tile::impl::NarrowComparisonsBase<NarrowComparisonsPass> {
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

/// Bits that hold the number with its sign; 64: nothing is known, or not in so many steps.
static unsigned countBits(Value scalar, unsigned steps = kMostSteps) {
  constexpr unsigned kAll = 64;
  APInt constant;
  if (matchPattern(scalar, m_ConstantInt(&constant)))
    return constant.getSignificantBits();
  Operation *op = scalar.getDefiningOp();
  if (!op || steps == 0)
    return kAll;
  auto ofOperand = [&](unsigned i) { return countBits(op->getOperand(i), steps - 1); };
  if (isa<arith::ExtSIOp>(op))
    return op->getOperand(0).getType().getIntOrFloatBitWidth();
  if (isa<arith::ExtUIOp>(op))
    return op->getOperand(0).getType().getIntOrFloatBitWidth() + 1;
  if (isa<arith::MulIOp>(op))
    return std::min(kAll, ofOperand(0) + ofOperand(1));
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::min(kAll, std::max(ofOperand(0), ofOperand(1)) + 1);
  return kAll;
}

static bool isBounded(Value scalar) { return countBits(scalar) <= kMostBits; }

/// The scalar that all elements are.
static Value getScalar(Value block) {
  auto splat = block.getDefiningOp<SplatOp>();
  return splat ? splat.getSource() : Value();
}

/// The same elements in another shape.
static bool isReshaped(Operation *op) { return isa_and_nonnull<ExpandDimsOp, BroadcastOp>(op); }

static bool isSmall(Value block) {
  Operation *op = block.getDefiningOp();
  if (isReshaped(op))
    return isSmall(op->getOperand(0));
  auto range = dyn_cast_or_null<ArangeOp>(op);
  return range && range.getStart() >= 0 &&
         int64_t(range.getStart()) + range.getType().getNumElements() <= kMost;
}

/// `block` in 32 bits, where it is one small number for each element and scalars.
static bool findSum(Value block, Sum &sum) {
  if (Value scalar = getScalar(block)) {
    sum.scalars.push_back(scalar);
    return sum.scalars.size() <= kMostScalars && isBounded(scalar);
  }
  Operation *op = block.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp>(op))
    return findSum(op->getOperand(0), sum) && findSum(op->getOperand(1), sum);
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op) || sum.narrow ||
      !getElementType(op->getOperand(0).getType()).isInteger(32) || !isSmall(op->getOperand(0)))
    return false;
  sum.narrow = op->getOperand(0);
  return true;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// What is left of `bound` when the sum's scalars are taken away, in 32 bits.
static Value getRest(ImplicitLocOpBuilder &b, Value bound, ArrayRef<Value> scalars) {
  for (Value scalar : scalars)
    bound = arith::SubIOp::create(b, bound, scalar);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  };
  bound = arith::MaxSIOp::create(b, bound, constant(-kMost));
  bound = arith::MinSIOp::create(b, bound, constant(kMost));
  return arith::TruncIOp::create(b, b.getI32Type(), bound);
}

/// `narrow` in the shape that `reshaped` has.
static Value reshape(ImplicitLocOpBuilder &b, Value reshaped, Value from, Value narrow) {
  if (reshaped == from)
    return narrow;
  Operation *op = reshaped.getDefiningOp();
  IRMapping mapping;
  mapping.map(op->getOperand(0), reshape(b, op->getOperand(0), from, narrow));
  Operation *copy = b.clone(*op, mapping);
  auto type = cast<RankedTensorType>(reshaped.getType());
  copy->getResult(0).setType(type.clone(b.getI32Type()));
  return copy->getResult(0);
}

static void narrow(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = op.getPredicate();
  bool isOrder = predicate == Predicate::slt || predicate == Predicate::sle ||
                 predicate == Predicate::sgt || predicate == Predicate::sge;
  auto type = dyn_cast<RankedTensorType>(op.getLhs().getType());
  if (!isOrder || !type || !type.getElementType().isInteger(64))
    return;
  bool isBoundFirst = bool(getScalar(op.getLhs()));
  Value bound = getScalar(isBoundFirst ? op.getLhs() : op.getRhs());
  Value block = isBoundFirst ? op.getRhs() : op.getLhs(), base = block;
  while (isReshaped(base.getDefiningOp()))
    base = base.getDefiningOp()->getOperand(0);
  Sum sum;
  if (!bound || !findSum(base, sum) || !sum.narrow)
    return;
  if (!sum.scalars.empty() && !isBounded(bound)) // the difference could wrap
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value rest = SplatOp::create(b, type.clone(b.getI32Type()), getRest(b, bound, sum.scalars));
  Value numbers = reshape(b, block, base, sum.narrow);
  op.getLhsMutable().set(isBoundFirst ? rest : numbers);
  op.getRhsMutable().set(isBoundFirst ? numbers : rest);
}

void NarrowComparisonsPass::runOnOperation() {
  getOperation().walk([](arith::CmpIOp op) { narrow(op); });
}
