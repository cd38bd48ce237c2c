//===- ValueRange.cpp - What is known of an integer without dataflow ------===//
#include "compiler/transforms/GuardArithmetic/ValueRange.h"

#include "dialects/tile/IR/TileOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

/// Definitions looked through. Chains that prove a divisor are short.
static constexpr int kDepth = 5;

static ConstantIntRanges getMaxRange(Value value) {
  return ConstantIntRanges::maxRange(
      ConstantIntRanges::getStorageBitwidth(getElementType(value.getType())));
}

static ConstantIntRanges getSigned(int64_t low, int64_t high) {
  return ConstantIntRanges::fromSigned(APInt(32, low, true), APInt(32, high, true));
}

static ConstantIntRanges getRange(Value value, int depth);

static ConstantIntRanges getInferred(InferIntRangeInterface op, Value value, int depth) {
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands()) {
    if (!getElementType(operand.getType()).isIntOrIndex())
      return getMaxRange(value);
    operands.push_back(getRange(operand, depth - 1));
  }
  ConstantIntRanges result = getMaxRange(value);
  op.inferResultRanges(operands, [&](Value inferred, const ConstantIntRanges &range) {
    if (inferred == value)
      result = range;
  });
  return result;
}

static ConstantIntRanges getRange(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return getMaxRange(value);
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  return llvm::TypeSwitch<Operation *, ConstantIntRanges>(op)
      .Case([&](NumProgramsOp) { return getSigned(1, kMax); })
      .Case([&](ProgramIdOp) { return getSigned(0, kMax - 1); })
      .Case([&](InferIntRangeInterface inferable) { return getInferred(inferable, value, depth); })
      .Case<SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, ConvertLayoutOp>(
          [&](Operation *same) { return getRange(same->getOperand(0), depth - 1); })
      .Default([&](Operation *) { return getMaxRange(value); });
}

ConstantIntRanges tile::getValueRange(Value value) { return getRange(value, kDepth); }
