//===- HalfResults.cpp - Values of which half a float's bits are kept -----===//
#include "compiler/transforms/ExpandMath/HalfResults.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tile;

/// Definitions that are looked through at most: code is made of few.
static constexpr unsigned kMostSteps = 8;

/// Whether the op hands on elements as they are.
static bool movesElements(Operation *op) {
  return isa<vector::ExtractOp, vector::FromElementsOp, vector::ShuffleOp, vector::BroadcastOp,
             vector::InsertOp, vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp>(op);
}

static bool isConstantNotNegative(Value value) {
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)))
    return isa<FloatType>(elements.getElementType()) &&
           llvm::none_of(elements.getValues<APFloat>(),
                         [](const APFloat &number) { return number.isNegative(); });
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && !number.isNegative();
}

static bool isNotNegative(Value value, unsigned steps) {
  Operation *op = value.getDefiningOp();
  if (!op || steps == 0)
    return false;
  auto are = [&](ValueRange operands) {
    return llvm::all_of(operands, [&](Value part) { return isNotNegative(part, steps - 1); });
  };
  if (isa<math::ExpOp, math::Exp2Op, math::AbsFOp>(op) || isConstantNotNegative(value))
    return true;
  if (auto product = dyn_cast<arith::MulFOp>(op))
    return product.getLhs() == product.getRhs() || are(product.getOperands());
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return are({choice.getTrueValue(), choice.getFalseValue()});
  return isa<arith::AddFOp, arith::DivFOp>(op) && are(op->getOperands());
}

bool tile::isHalf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

/// Whether an error of `use` is one of like size of the op's result.
static bool keepsErrors(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<arith::AddFOp>(op))
    return llvm::all_of(op->getOperands(),
                        [](Value part) { return isNotNegative(part, kMostSteps); });
  if (isa<arith::SelectOp>(op))
    return use.getOperandNumber() > 0;
  return movesElements(op) || isa<arith::MulFOp, arith::DivFOp, arith::NegFOp, math::AbsFOp>(op);
}

/// Products and quotients both of whose operands have the error: each may double it.
static int64_t countPowers(const SetVector<Value> &values) {
  return llvm::count_if(values, [&](Value value) {
    Operation *op = value.getDefiningOp();
    return isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op) &&
           llvm::all_of(op->getOperands(), [&](Value part) { return values.contains(part); });
  });
}

bool tile::isRoundedToHalf(Value value) {
  constexpr size_t kMostValues = 64;
  constexpr int64_t kMostPowers = 2;
  SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<arith::TruncFOp>(user) && isHalf(user->getResult(0).getType()))
        continue;
      if (!keepsErrors(use) || values.size() >= kMostValues)
        return false;
      values.insert_range(user->getResults());
    }
  return !value.use_empty() && countPowers(values) <= kMostPowers;
}
