//===- ByteCasts.cpp - Bytes as 16-bit floats, by their bits --------------===//
#include "compiler/transforms/ExpandCasts/ByteCasts.h"

using namespace mlir;
using namespace tile;

bool tile::isByteCast(Operation *op, TargetAttr target, const NarrowFloatFacts &facts) {
  if (!isa<arith::SIToFPOp>(op) || !target || target.getFact("dear_int_casts", 0) == 0)
    return false;
  Type from = getElementType(op->getOperand(0).getType());
  Type to = getElementType(op->getResult(0).getType());
  return from.isInteger(8) && (to.isF16() || to.isBF16()) && facts.hasArithmetic(to);
}

/// The eight bits are the low ones of a number from 1024 on, whose last bit counts one.
static Lanes convertToF16(Lanes word, FloatType f16) {
  constexpr int64_t k1024 = 0x6400, kSign = 0x80;
  constexpr double kOffset = 1024 + 128;
  return (word ^ (k1024 | kSign)).asFloat(f16) - kOffset;
}

/// Seven bits are the low ones of a number from 128 on; the sign bit makes the 128 that is
/// taken away again 256.
static Lanes convertToBF16(Lanes word, FloatType bf16) {
  constexpr int64_t k128 = 0x4300, kSign = 0x80, kLow = 0x7f;
  Lanes both = word | k128;
  return (both & (k128 | kLow)).asFloat(bf16) - (both & (k128 | kSign)).asFloat(bf16);
}

void tile::expandByteCast(Operation *op, LaneBuilder &at) {
  Value bytes = op->getOperand(0);
  Type words = withElementType(bytes.getType(), IntegerType::get(op->getContext(), 16));
  Lanes word(at, at.create<arith::ExtUIOp>(words, bytes).getResult());
  auto to = cast<FloatType>(getElementType(op->getResult(0).getType()));
  Lanes result = to.isF16() ? convertToF16(word, to) : convertToBF16(word, to);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}
