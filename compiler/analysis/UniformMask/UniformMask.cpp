//===- UniformMask.cpp - Whether a mask is true everywhere ----------------===//
#include "compiler/analysis/UniformMask/UniformMask.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

/// What passes the elements of its operand on, or repeats them.
static bool isView(Operation *op) {
  return isa<BroadcastOp, ExpandDimsOp, ConvertLayoutOp, TransposeOp, ReshapeOp, HintOp>(op);
}

namespace {
/// The least and the greatest elements of blocks, as numbers.
class BoundBuilder {
public:
  explicit BoundBuilder(ImplicitLocOpBuilder &b) : b(b) {}
  /// Null where it is not known.
  Value build(Value value, bool greatest);

private:
  Value buildConstant(DenseElementsAttr elements);
  Value createInt(Type type, const APInt &value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  }
  Value buildSum(Operation *op, bool greatest, bool greatestOfSecond);

  ImplicitLocOpBuilder &b;
};
} // namespace

Value BoundBuilder::buildConstant(DenseElementsAttr elements) {
  if (!elements.isSplat())
    return {};
  return createInt(elements.getElementType(), elements.getSplatValue<APInt>());
}

Value BoundBuilder::buildSum(Operation *op, bool greatest, bool greatestOfSecond) {
  Value first = build(op->getOperand(0), greatest);
  Value second = first ? build(op->getOperand(1), greatestOfSecond) : Value();
  if (!second)
    return {};
  if (isa<arith::AddIOp>(op))
    return arith::AddIOp::create(b, first, second);
  return arith::SubIOp::create(b, first, second);
}

Value BoundBuilder::build(Value value, bool greatest) {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (isView(op))
    return build(op->getOperand(0), greatest);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](SplatOp splat) { return splat.getSource(); })
      .Case([&](ArangeOp arange) {
        int64_t last = getShape(arange.getType()).front() - 1;
        int64_t bound = arange.getStart() + (greatest ? last : 0);
        return createInt(b.getI32Type(), APInt(32, bound, /*isSigned=*/true));
      })
      .Case([&](arith::ConstantOp constant) {
        auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
        return elements ? buildConstant(elements) : Value();
      })
      .Case([&](arith::AddIOp) { return buildSum(op, greatest, greatest); })
      .Case([&](arith::SubIOp) { return buildSum(op, greatest, !greatest); })
      .Case([&](arith::ExtSIOp extend) -> Value {
        Value bound = build(extend.getIn(), greatest);
        Type wide = getElementType(extend.getType());
        return bound ? arith::ExtSIOp::create(b, wide, bound).getResult() : bound;
      })
      .Default([](Operation *) { return Value(); });
}

/// x < y everywhere if the greatest x is below the least y.
static Value createComparison(ImplicitLocOpBuilder &b, arith::CmpIOp compare) {
  using arith::CmpIPredicate;
  CmpIPredicate predicate = compare.getPredicate();
  bool isLess = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle;
  bool isGreater = predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
  if (!isLess && !isGreater)
    return {};
  BoundBuilder bounds(b);
  Value left = bounds.build(compare.getLhs(), isLess);
  Value right = left ? bounds.build(compare.getRhs(), isGreater) : Value();
  return right ? arith::CmpIOp::create(b, predicate, left, right).getResult() : Value();
}

Value tile::createIsAllTrue(ImplicitLocOpBuilder &b, Value mask) {
  if (!isa<RankedTensorType>(mask.getType()))
    return mask;
  Operation *op = mask.getDefiningOp();
  if (!op)
    return {};
  if (isView(op))
    return createIsAllTrue(b, op->getOperand(0));
  if (auto splat = dyn_cast<SplatOp>(op))
    return splat.getSource();
  if (matchPattern(mask, m_One()))
    return arith::ConstantOp::create(b, b.getBoolAttr(true));
  if (isa<arith::AndIOp>(op)) {
    Value first = createIsAllTrue(b, op->getOperand(0));
    Value second = first ? createIsAllTrue(b, op->getOperand(1)) : Value();
    return second ? arith::AndIOp::create(b, first, second).getResult() : Value();
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  return compare ? createComparison(b, compare) : Value();
}
