//===- Transfer.cpp - Patterns of results from those of operands ----------===//
#include "compiler/analysis/AccessPattern/AccessPattern.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

using Operands = ArrayRef<ValuePattern>;

static int64_t multiply(int64_t a, int64_t b) { return std::min(a * b, getPowerOfTwoPart(0)); }

static unsigned getPatternRank(Type type) { return std::max<size_t>(1, getShape(type).size()); }

/// Elements of a block that a run may have along `dim`.
static int64_t getRoom(Type type, unsigned dim) {
  ArrayRef<int64_t> shape = getShape(type);
  return shape.empty() ? 1 : getPowerOfTwoPart(shape[dim]);
}

static ValuePattern getUniform(Type type, std::optional<int64_t> constant, int64_t divisibility) {
  ValuePattern pattern = ValuePattern::getUnknown(getPatternRank(type));
  for (unsigned dim = 0; dim < pattern.getRank(); ++dim) {
    pattern.constancy[dim] = getRoom(type, dim);
    pattern.divisibility[dim] = divisibility;
  }
  pattern.constant = constant;
  return pattern;
}

/// Bytes between consecutive elements that a pointer, or block of pointers, points to.
static int64_t getPointeeBytes(Type pointerLike) {
  Type pointee = cast<PtrType>(getElementType(pointerLike)).getPointee();
  if (isa<PtrType>(pointee))
    return 8;
  return std::max<int64_t>(1, pointee.getIntOrFloatBitWidth() / 8);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Runs of `contiguity`, of which `divides(dim)` divides the first elements;
/// equal where both operands are.
static ValuePattern combine(Operands operands, function_ref<int64_t(unsigned)> contiguity,
                            function_ref<int64_t(unsigned, int64_t)> divides) {
  ValuePattern pattern = ValuePattern::getUnknown(operands.front().getRank());
  for (unsigned dim = 0; dim < pattern.getRank(); ++dim) {
    pattern.contiguity[dim] = contiguity(dim);
    pattern.divisibility[dim] = divides(dim, pattern.contiguity[dim]);
    pattern.constancy[dim] = operands.front().constancy[dim];
    for (const ValuePattern &operand : operands.drop_front())
      pattern.constancy[dim] = std::min(pattern.constancy[dim], operand.constancy[dim]);
  }
  return pattern;
}

/// a + b or a - b; the second operand counts in units of `scale` bytes.
static ValuePattern getSum(Operands operands, bool isDifference, int64_t scale = 1) {
  const ValuePattern &a = operands[0], &b = operands[1];
  ValuePattern sum = combine(
      operands,
      [&](unsigned dim) {
        int64_t run = std::min(a.contiguity[dim], b.constancy[dim]);
        return isDifference ? run : std::max(run, std::min(a.constancy[dim], b.contiguity[dim]));
      },
      [&](unsigned dim, int64_t group) {
        // A pointer's run counts in elements, its divisibility in bytes.
        int64_t start = a.contiguity[dim] > group
                            ? std::min(a.divisibility[dim], multiply(group, scale))
                            : a.divisibility[dim];
        return std::min(start, multiply(b.getDivisibilityAt(dim, group), scale));
      });
  if (a.constant && b.constant && scale == 1)
    sum.constant = isDifference ? *a.constant - *b.constant : *a.constant + *b.constant;
  return sum;
}

static ValuePattern getProduct(Operands operands) {
  const ValuePattern &a = operands[0], &b = operands[1];
  if (a.constant == 1)
    return b;
  if (b.constant == 1)
    return a;
  ValuePattern product = combine(
      operands, [](unsigned) { return 1; },
      [&](unsigned dim, int64_t group) {
        return multiply(a.getDivisibilityAt(dim, group), b.getDivisibilityAt(dim, group));
      });
  if (a.constant && b.constant)
    product.constant = *a.constant * *b.constant;
  return product;
}

/// Elements of a group that lie between the same two multiples of the divisor.
static int64_t getAlignedGroup(const ValuePattern &dividend, const ValuePattern &divisor,
                               unsigned dim) {
  int64_t group = std::min({dividend.contiguity[dim], divisor.constancy[dim],
                            divisor.getDivisibilityAt(dim, divisor.constancy[dim])});
  return std::min(group, dividend.getDivisibilityAt(dim, group));
}

static ValuePattern getQuotient(Operands operands) {
  const ValuePattern &a = operands[0], &b = operands[1];
  if (b.constant == 1)
    return a;
  ValuePattern quotient = combine(
      operands, [](unsigned) { return 1; },
      [&](unsigned dim, int64_t) {
        bool exact = b.constant && *b.constant == getPowerOfTwoPart(*b.constant);
        return exact ? std::max<int64_t>(1, a.getDivisibilityAt(dim, 1) / *b.constant) : 1;
      });
  for (unsigned dim = 0; dim < quotient.getRank(); ++dim)
    quotient.constancy[dim] = std::max(quotient.constancy[dim], getAlignedGroup(a, b, dim));
  return quotient;
}

static ValuePattern getRemainder(Operands operands) {
  const ValuePattern &a = operands[0], &b = operands[1];
  return combine(
      operands, [&](unsigned dim) { return getAlignedGroup(a, b, dim); },
      [&](unsigned dim, int64_t group) {
        return std::min(a.getDivisibilityAt(dim, group), b.getDivisibilityAt(dim, group));
      });
}

/// Bitwise and lane-wise selections of whole operands: what divides all of
/// them divides the result.
static ValuePattern getBlend(Operands operands) {
  return combine(
      operands, [](unsigned) { return 1; },
      [&](unsigned dim, int64_t group) {
        int64_t divisor = getPowerOfTwoPart(0);
        for (const ValuePattern &operand : operands)
          divisor = std::min(divisor, operand.getDivisibilityAt(dim, group));
        return divisor;
      });
}

/// What is true of both is true first, where each of them is.
static ValuePattern getConjunction(Operands operands) {
  ValuePattern pattern = getBlend(operands);
  for (unsigned dim = 0; dim < pattern.getRank(); ++dim)
    pattern.leading[dim] = std::min(operands[0].getLeading(dim), operands[1].getLeading(dim));
  return pattern;
}

static ValuePattern getSelected(Operands operands, bool isScalarCondition) {
  ValuePattern pattern = operands[1].meet(operands[2]);
  if (isScalarCondition)
    return pattern;
  for (unsigned dim = 0; dim < pattern.getRank(); ++dim) {
    int64_t group = std::min(pattern.contiguity[dim], operands[0].constancy[dim]);
    pattern.divisibility[dim] = pattern.getDivisibilityAt(dim, group);
    pattern.contiguity[dim] = group;
    pattern.constancy[dim] = std::min(pattern.constancy[dim], operands[0].constancy[dim]);
  }
  return pattern;
}

/// Where x counts up from a multiple of the group and n is a multiple of it,
/// x < n does not change within the group.
static ValuePattern getComparison(arith::CmpIOp op, Operands operands) {
  ValuePattern pattern = getBlend(operands);
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = op.getPredicate();
  bool isBelow = predicate == Predicate::slt || predicate == Predicate::ult ||
                 predicate == Predicate::sge || predicate == Predicate::uge;
  bool isAbove = predicate == Predicate::sgt || predicate == Predicate::ugt ||
                 predicate == Predicate::sle || predicate == Predicate::ule;
  if (!isBelow && !isAbove)
    return pattern;
  const ValuePattern &run = operands[isBelow ? 0 : 1], &bound = operands[isBelow ? 1 : 0];
  // What counts up is below the bound first, or at it.
  bool isFirst = predicate == Predicate::slt || predicate == Predicate::ult ||
                 predicate == Predicate::sle || predicate == Predicate::ule;
  const ValuePattern &low = operands[isFirst ? 0 : 1], &high = operands[isFirst ? 1 : 0];
  for (unsigned dim = 0; dim < pattern.getRank(); ++dim) {
    pattern.constancy[dim] = std::max(pattern.constancy[dim], getAlignedGroup(run, bound, dim));
    // Numbers do not wrap within such a group.
    int64_t group = std::min(low.contiguity[dim], high.constancy[dim]);
    pattern.leading[dim] = std::min(group, low.getDivisibilityAt(dim, group));
  }
  return pattern;
}

static ValuePattern getShift(Operation *op, Operands operands) {
  std::optional<int64_t> amount = operands[1].constant;
  if (!amount || *amount < 0 || *amount > 30)
    return ValuePattern::getUnknown(operands[0].getRank());
  ValuePattern factor = operands[1];
  factor.constant = int64_t(1) << *amount;
  llvm::fill(factor.divisibility, *factor.constant);
  ValuePattern scaled[] = {operands[0], factor};
  return isa<arith::ShLIOp>(op) ? getProduct(scaled) : getQuotient(scaled);
}

//===----------------------------------------------------------------------===//
// Shapes and pointers
//===----------------------------------------------------------------------===//

static ValuePattern getExpanded(ExpandDimsOp op, const ValuePattern &source) {
  ValuePattern pattern = source;
  // Along the new side lies any one of the elements.
  int64_t divisor = 1;
  for (unsigned dim = 0; dim < source.getRank(); ++dim)
    divisor = std::max(divisor, source.getDivisibilityAt(dim, 1));
  auto insert = [&](ValuePattern::Dims &dims, int64_t entry) {
    dims.insert(dims.begin() + op.getAxis(), entry);
  };
  insert(pattern.contiguity, 1);
  insert(pattern.divisibility, divisor);
  insert(pattern.constancy, 1);
  insert(pattern.leading, 1);
  return pattern;
}

static ValuePattern getBroadcast(BroadcastOp op, ValuePattern pattern) {
  for (unsigned dim = 0; dim < pattern.getRank(); ++dim)
    if (op.getSource().getType().getDimSize(dim) != op.getType().getDimSize(dim))
      pattern.constancy[dim] = getRoom(op.getType(), dim);
  return pattern;
}

static ValuePattern getTransposed(TransposeOp op, const ValuePattern &source) {
  ValuePattern pattern = source;
  for (auto [dim, from] : llvm::enumerate(op.getOrder())) {
    pattern.contiguity[dim] = source.contiguity[from];
    pattern.divisibility[dim] = source.divisibility[from];
    pattern.constancy[dim] = source.constancy[from];
    pattern.leading[dim] = source.leading[from];
  }
  return pattern;
}

static ValuePattern getHinted(HintOp op, ValuePattern pattern) {
  auto raise = [](ValuePattern::Dims &dims, std::optional<ArrayRef<int64_t>> promised) {
    for (auto [dim, promise] : llvm::enumerate(promised.value_or(ArrayRef<int64_t>())))
      dims[dim] = std::max(dims[dim], getPowerOfTwoPart(promise));
  };
  raise(pattern.contiguity, op.getContiguity());
  raise(pattern.divisibility, op.getDivisibility());
  raise(pattern.constancy, op.getConstancy());
  return pattern;
}

/// The same addresses with runs that count in other units: none.
static ValuePattern getReinterpreted(ValuePattern pattern) {
  for (unsigned dim = 0; dim < pattern.getRank(); ++dim) {
    pattern.divisibility[dim] = pattern.getDivisibilityAt(dim, 1);
    pattern.contiguity[dim] = 1;
  }
  return pattern;
}

static ValuePattern getConstantPattern(OpResult result) {
  Attribute value;
  if (!matchPattern(result, m_Constant(&value)))
    return ValuePattern::getUnknown(getPatternRank(result.getType()));
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    int64_t number = integer.getValue().getActiveBits() <= 63 || integer.getValue().isNegative()
                         ? integer.getValue().sextOrTrunc(64).getSExtValue()
                         : 1;
    return getUniform(result.getType(), number, getPowerOfTwoPart(number));
  }
  if (isa<FloatAttr>(value))
    return getUniform(result.getType(), std::nullopt, 1);
  return ValuePattern::getUnknown(getPatternRank(result.getType()));
}

/// Equal pointers, equally masked, give equal values.
static ValuePattern getLoaded(LoadOp op, Operands operands) {
  ValuePattern pattern = ValuePattern::getUnknown(getPatternRank(op.getType()));
  for (unsigned dim = 0; dim < pattern.getRank(); ++dim) {
    pattern.constancy[dim] = operands.front().constancy[dim];
    for (const ValuePattern &operand : operands.drop_front())
      pattern.constancy[dim] = std::min(pattern.constancy[dim], operand.constancy[dim]);
  }
  return pattern;
}

ValuePattern tile::getResultPattern(OpResult result, Operands operands) {
  Operation *op = result.getOwner();
  ValuePattern unknown = ValuePattern::getUnknown(getPatternRank(result.getType()));
  if (op->hasTrait<OpTrait::ConstantLike>())
    return getConstantPattern(result);
  return TypeSwitch<Operation *, ValuePattern>(op)
      .Case([&](ArangeOp arange) {
        ValuePattern pattern = unknown;
        pattern.contiguity[0] = getRoom(result.getType(), 0);
        // The start divides the first run only; later runs begin their length further on.
        pattern.divisibility[0] = getPowerOfTwoPart(arange.getStart());
        if (getShape(result.getType())[0] != pattern.contiguity[0])
          pattern.divisibility[0] = std::min(pattern.divisibility[0], pattern.contiguity[0]);
        return pattern;
      })
      .Case([&](SplatOp) {
        return getUniform(result.getType(), operands[0].constant, operands[0].divisibility[0]);
      })
      .Case<arith::AddIOp>([&](auto) { return getSum(operands, false); })
      .Case<arith::SubIOp>([&](auto) { return getSum(operands, true); })
      .Case<arith::MulIOp>([&](auto) { return getProduct(operands); })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return getQuotient(operands); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return getRemainder(operands); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [&](Operation *shift) { return getShift(shift, operands); })
      .Case<arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp, arith::OrIOp,
            arith::XOrIOp>([&](auto) { return getBlend(operands); })
      .Case([&](arith::AndIOp) { return getConjunction(operands); })
      .Case<arith::ExtSIOp, arith::IndexCastOp, ConvertLayoutOp>([&](auto) { return operands[0]; })
      .Case<arith::ExtUIOp, arith::TruncIOp>([&](auto) {
        ValuePattern pattern = operands[0];
        pattern.constant.reset(); // its upper bits are not the source's sign
        return pattern;
      })
      .Case([&](arith::CmpIOp compare) { return getComparison(compare, operands); })
      .Case([&](arith::SelectOp select) {
        bool isScalar = !isa<RankedTensorType>(select.getCondition().getType());
        return getSelected(operands, isScalar);
      })
      .Case([&](AddPtrOp add) { return getSum(operands, false, getPointeeBytes(add.getType())); })
      .Case([&](ExpandDimsOp expand) { return getExpanded(expand, operands[0]); })
      .Case([&](BroadcastOp broadcast) { return getBroadcast(broadcast, operands[0]); })
      .Case([&](TransposeOp transpose) { return getTransposed(transpose, operands[0]); })
      .Case([&](HintOp hint) { return getHinted(hint, operands[0]); })
      .Case([&](CastPtrOp cast) {
        bool sameUnit =
            getPointeeBytes(cast.getSource().getType()) == getPointeeBytes(cast.getType());
        return sameUnit ? operands[0] : getReinterpreted(operands[0]);
      })
      .Case<PtrToIntOp, IntToPtrOp>([&](auto) { return getReinterpreted(operands[0]); })
      .Case([&](LoadOp load) { return getLoaded(load, operands); })
      .Default([&](Operation *) { return unknown; });
}
