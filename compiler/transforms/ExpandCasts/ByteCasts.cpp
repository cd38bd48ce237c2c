//===- ByteCasts.cpp - Small integers as 16-bit floats, by their bits -----===//
#include "compiler/transforms/ExpandCasts/ByteCasts.h"

#include "compiler/transforms/ExpandCasts/IntegerRange.h"

using namespace mlir;
using namespace tile;

namespace {
/// The numbers from a power of two on whose last bit counts one: `code` and what the lower bits
/// add.
struct UnitRange {
  int64_t code, first;
};
} // namespace

static UnitRange getUnitRange(Type to) {
  return to.isF16() ? UnitRange{0x6400, 1024} : UnitRange{0x4300, 128};
}

/// Between what bounds the numbers are that `op` converts.
static std::optional<IntegerRange> getSourceRange(Operation *op) {
  Value source = op->getOperand(0);
  std::optional<IntegerRange> range = findIntegerRange(source);
  if (isa<arith::SIToFPOp>(op) || (range && range->low >= 0))
    return range;
  unsigned bits = getElementType(source.getType()).getIntOrFloatBitWidth();
  return bits <= 8 ? std::optional(IntegerRange{0, (int64_t(1) << bits) - 1}) : std::nullopt;
}

static bool isNatural(std::optional<IntegerRange> range, Type to) {
  return range && range->isWithin(0, getUnitRange(to).first - 1);
}

/// Whether the bits of a number hold all of `range`.
static bool hasBitsFor(std::optional<IntegerRange> range, Type to) {
  int64_t half = getUnitRange(to).first / 2;
  return isNatural(range, to) || (range && range->isWithin(-half, half - 1));
}

static bool isSignedByteCast(Operation *op) {
  return isa<arith::SIToFPOp>(op) && getElementType(op->getOperand(0).getType()).isInteger(8);
}

/// Whether `op` is rounded once if it goes by f32: beyond the integers that f32 has, f16 has
/// nothing but infinity.
static bool canGoByF32(Type from, Type to, const NarrowFloatFacts &facts) {
  return from.isInteger(32) && to.isF16() &&
         facts.hasCast(Float32Type::get(to.getContext()), to, Rounding::NearestEven);
}

bool tile::isByteCast(Operation *op, TargetAttr target, const NarrowFloatFacts &facts) {
  if (!isa<arith::SIToFPOp, arith::UIToFPOp>(op) || !target ||
      target.getFact("dear_int_casts", 0) == 0)
    return false;
  Type from = getElementType(op->getOperand(0).getType());
  Type to = getElementType(op->getResult(0).getType());
  if (!(to.isF16() || to.isBF16()) || !facts.hasArithmetic(to) || from.getIntOrFloatBitWidth() < 8)
    return false;
  return hasBitsFor(getSourceRange(op), to) || isSignedByteCast(op) || canGoByF32(from, to, facts);
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

/// The low bits of numbers that are not negative, or of signed ones with half as much added. What
/// is wider than a float adds it before it is cut: sums of three are one instruction.
static Lanes convertBits(Lanes source, FloatType to, bool isSigned) {
  constexpr unsigned kWordBits = 16;
  auto [code, first] = getUnitRange(to);
  int64_t half = isSigned ? first / 2 : 0;
  Lanes word = source;
  if (source.getWidth() > kWordBits)
    word = (isSigned ? source + (code + half) : source | code).truncate(kWordBits);
  else if (!isSigned)
    word = source.extendUnsigned(kWordBits) | code;
  else // the highest of its bits inverted
    word = (source.extendSigned(kWordBits) & (first - 1)) ^ (code | half);
  return word.asFloat(to) - static_cast<double>(first + half);
}

void tile::expandByteCast(Operation *op, LaneBuilder &at) {
  Value source = op->getOperand(0);
  auto to = cast<FloatType>(getElementType(op->getResult(0).getType()));
  std::optional<IntegerRange> range = getSourceRange(op);
  Value result;
  if (isSignedByteCast(op) && !isNatural(range, to)) {
    Lanes word = Lanes(at, source).extendUnsigned(16);
    result = to.isF16() ? convertToF16(word, to) : convertToBF16(word, to);
  } else if (hasBitsFor(range, to)) {
    result = convertBits(Lanes(at, source), to, !isNatural(range, to));
  } else {
    Type wide = withElementType(source.getType(), Float32Type::get(op->getContext()));
    Value exact = isa<arith::SIToFPOp>(op) ? at.create<arith::SIToFPOp>(wide, source).getResult()
                                           : at.create<arith::UIToFPOp>(wide, source).getResult();
    result = Lanes(at, exact).truncateFloat(to);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}
