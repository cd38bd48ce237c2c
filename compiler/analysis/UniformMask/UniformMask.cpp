//===- UniformMask.cpp - Whether a mask is true everywhere ----------------===//
#include "compiler/analysis/UniformMask/UniformMask.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

/// What passes the elements of its operand on, or repeats them.
static bool isView(Operation *op) {
  return isa<BroadcastOp, ExpandDimsOp, ConvertLayoutOp, TransposeOp, ReshapeOp, HintOp>(op);
}

namespace {
/// Code for masks and the bounds of what they compare. There may be very many paths to a value:
/// each is built once.
class AllTrueBuilder {
public:
  explicit AllTrueBuilder(ImplicitLocOpBuilder &b) : b(b) {}
  /// Null where there is no such code.
  Value build(Value mask);

private:
  Value buildMask(Value mask);
  Value buildComparison(arith::CmpIOp compare);
  Value getBound(Value value, bool greatest);
  Value buildBound(Value value, bool greatest);
  Value buildConstant(DenseElementsAttr elements);
  Value buildSum(Operation *op, bool greatest, bool greatestOfSecond);
  Value createInt(Type type, const APInt &value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  }

  ImplicitLocOpBuilder &b;
  DenseMap<Value, Value> masks;
  /// The least ones, and the greatest.
  DenseMap<Value, Value> bounds[2];
};
} // namespace

//===----------------------------------------------------------------------===//
// The least and the greatest elements of blocks, as numbers
//===----------------------------------------------------------------------===//

Value AllTrueBuilder::buildConstant(DenseElementsAttr elements) {
  if (!elements.isSplat())
    return {};
  return createInt(elements.getElementType(), elements.getSplatValue<APInt>());
}

Value AllTrueBuilder::buildSum(Operation *op, bool greatest, bool greatestOfSecond) {
  Value first = getBound(op->getOperand(0), greatest);
  Value second = first ? getBound(op->getOperand(1), greatestOfSecond) : Value();
  if (!second)
    return {};
  if (isa<arith::AddIOp>(op))
    return arith::AddIOp::create(b, first, second);
  return arith::SubIOp::create(b, first, second);
}

Value AllTrueBuilder::buildBound(Value value, bool greatest) {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (isView(op))
    return getBound(op->getOperand(0), greatest);
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
        Value bound = getBound(extend.getIn(), greatest);
        Type wide = getElementType(extend.getType());
        return bound ? arith::ExtSIOp::create(b, wide, bound).getResult() : bound;
      })
      .Default([](Operation *) { return Value(); });
}

Value AllTrueBuilder::getBound(Value value, bool greatest) {
  auto &known = bounds[greatest ? 1 : 0];
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Value bound = buildBound(value, greatest);
  known.try_emplace(value, bound);
  return bound;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Whether all elements are one, so that none overflows apart from others.
static bool isUniform(Value value) {
  Operation *op = value.getDefiningOp();
  return !isa<RankedTensorType>(value.getType()) || isa_and_nonnull<SplatOp>(op) ||
         matchPattern(value, m_Constant()) || (op && isView(op) && isUniform(op->getOperand(0)));
}

/// x < y everywhere if the greatest x is below the least y, and neither overflows from one element
/// to the next: the greatest is then not below the least.
Value AllTrueBuilder::buildComparison(arith::CmpIOp compare) {
  using arith::CmpIPredicate;
  CmpIPredicate predicate = compare.getPredicate();
  bool isLess = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle;
  bool isGreater = predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
  if (!isLess && !isGreater)
    return {};
  Value left = getBound(compare.getLhs(), isLess);
  Value right = left ? getBound(compare.getRhs(), isGreater) : Value();
  if (!right)
    return {};
  Value all = arith::CmpIOp::create(b, predicate, left, right);
  for (Value side : {compare.getLhs(), compare.getRhs()})
    if (!isUniform(side)) {
      Value isInOrder =
          arith::CmpIOp::create(b, CmpIPredicate::sle, getBound(side, false), getBound(side, true));
      all = arith::AndIOp::create(b, all, isInOrder);
    }
  return all;
}

Value AllTrueBuilder::buildMask(Value mask) {
  if (!isa<RankedTensorType>(mask.getType()))
    return mask;
  Operation *op = mask.getDefiningOp();
  if (!op)
    return {};
  if (isView(op))
    return build(op->getOperand(0));
  if (auto splat = dyn_cast<SplatOp>(op))
    return splat.getSource();
  if (matchPattern(mask, m_One()))
    return arith::ConstantOp::create(b, b.getBoolAttr(true));
  if (isa<arith::AndIOp>(op)) {
    Value first = build(op->getOperand(0));
    Value second = first ? build(op->getOperand(1)) : Value();
    return second ? arith::AndIOp::create(b, first, second).getResult() : Value();
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  return compare ? buildComparison(compare) : Value();
}

Value AllTrueBuilder::build(Value mask) {
  if (auto known = masks.find(mask); known != masks.end())
    return known->second;
  Value all = buildMask(mask);
  masks.try_emplace(mask, all);
  return all;
}

Value tile::createIsAllTrue(ImplicitLocOpBuilder &b, Value mask) {
  return AllTrueBuilder(b).build(mask);
}

bool tile::mayBeAllTrue(Value mask) {
  Block scratch;
  ImplicitLocOpBuilder b(mask.getLoc(), mask.getContext());
  b.setInsertionPointToEnd(&scratch);
  return createIsAllTrue(b, mask) != nullptr;
}

SmallVector<Value> tile::getConjuncts(Value mask) {
  SetVector<Value> parts;
  parts.insert(mask);
  for (size_t i = 0; i < parts.size(); ++i)
    if (auto both = parts[i].getDefiningOp<arith::AndIOp>())
      parts.insert_range(both->getOperands());
  return llvm::to_vector(llvm::make_filter_range(
      parts, [](Value part) { return !part.getDefiningOp<arith::AndIOp>(); }));
}
