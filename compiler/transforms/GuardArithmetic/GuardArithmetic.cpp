//===- GuardArithmetic.cpp - Total semantics for division and shifts ------===//
#include "compiler/transforms/GuardArithmetic/GuardArithmetic.h"

#include "compiler/transforms/Elementwise/Lanes.h"
#include "compiler/transforms/GuardArithmetic/ValueRange.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tile {
#define GEN_PASS_DEF_GUARDARITHMETIC
#include "compiler/transforms/GuardArithmetic/GuardArithmetic.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// What needs no guard
//===----------------------------------------------------------------------===//

static unsigned getBits(Value value) {
  return ConstantIntRanges::getStorageBitwidth(getElementType(value.getType()));
}

/// Whether `value` is `lhs == rhs`.
static bool isComparison(Value value, Value lhs, const APInt &rhs) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  APInt constant;
  return compare && compare.getPredicate() == arith::CmpIPredicate::eq && compare.getLhs() == lhs &&
         matchPattern(compare.getRhs(), m_ConstantInt(&constant)) && constant == rhs;
}

/// Whether `condition` is true wherever `divisor` is zero.
static bool coversZero(Value condition, Value divisor) {
  if (auto either = condition.getDefiningOp<arith::OrIOp>())
    return coversZero(either.getLhs(), divisor) || coversZero(either.getRhs(), divisor);
  return isComparison(condition, divisor, APInt::getZero(getBits(divisor)));
}

/// Whether `condition` is true wherever `dividend` is the least integer and
/// `divisor` is -1.
static bool coversOverflow(Value condition, Value dividend, Value divisor) {
  auto covers = [&](Value part) { return coversOverflow(part, dividend, divisor); };
  if (auto either = condition.getDefiningOp<arith::OrIOp>())
    return covers(either.getLhs()) || covers(either.getRhs());
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return covers(both.getLhs()) && covers(both.getRhs());
  unsigned width = getBits(divisor);
  return isComparison(condition, divisor, APInt::getAllOnes(width)) ||
         isComparison(condition, dividend, APInt::getSignedMinValue(width));
}

/// Whether `divisor` is a guard that an earlier run of the pass wrote.
static bool isGuarded(Value dividend, Value divisor, bool zero, bool overflow) {
  auto choice = divisor.getDefiningOp<arith::SelectOp>();
  if (!choice || !matchPattern(choice.getTrueValue(), m_One()))
    return false;
  Value condition = choice.getCondition(), unguarded = choice.getFalseValue();
  return (!zero || coversZero(condition, unguarded)) &&
         (!overflow || coversOverflow(condition, dividend, unguarded));
}

static bool mayBeZero(Value divisor) {
  ConstantIntRanges range = getValueRange(divisor);
  return range.umin().isZero() && !range.smin().isStrictlyPositive() && !range.smax().isNegative();
}

static bool mayOverflow(Value dividend, Value divisor) {
  ConstantIntRanges range = getValueRange(divisor);
  if (range.smin().sgt(-1) || range.smax().slt(-1))
    return false;
  return getValueRange(dividend).smin().isMinSignedValue();
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// A divisor by which `dividend` can be divided: `divisor`, or one where the
/// division would trap. A remainder of -1 is that of 1: its guard looks at the
/// divisor alone, which is often the same for a whole block.
static Lanes guardDivisor(Lanes dividend, Lanes divisor, bool isSigned, bool isRemainder) {
  bool zero = mayBeZero(divisor), overflow = isSigned && mayOverflow(dividend, divisor);
  if ((!zero && !overflow) || isGuarded(dividend, divisor, zero, overflow))
    return divisor;
  int64_t least = static_cast<int64_t>(uint64_t(1) << (divisor.getWidth() - 1));
  auto isZero = [&] { return divisor == 0; };
  auto overflows = [&] {
    Lanes isMinusOne = divisor == -1;
    return isRemainder ? isMinusOne : isMinusOne & (dividend == least);
  };
  Lanes traps = !overflow ? isZero() : !zero ? overflows() : isZero() | overflows();
  return select(traps, 1, divisor);
}

template <typename OpT> static Lanes divide(Lanes a, Lanes b) {
  return {a.getBuilder(), a.getBuilder().create<OpT>(Value(a), Value(b)).getResult()};
}

/// The quotient rounded towards zero, corrected by `step` where the remainder
/// is not zero and its sign equals the divisor's (`sameSign`) or differs.
static Lanes correctSigned(Lanes x, Lanes d, bool sameSign, Number step) {
  Lanes quotient = divide<arith::DivSIOp>(x, d);
  Lanes rest = x - quotient * d;
  Lanes differ = rest ^ d;
  Lanes inexact = (rest != 0) & (sameSign ? differ >= differ.like(0) : differ < differ.like(0));
  return select(inexact, quotient + step, quotient);
}

static Lanes ceilUnsigned(Lanes x, Lanes d) {
  Lanes quotient = divide<arith::DivUIOp>(x, d);
  return select(x != quotient * d, quotient + 1, quotient);
}

/// What replaces a division of `x` by `d`, which is not one of a single bit.
static Lanes expandDivision(Operation *op, Lanes x, Lanes d) {
  return llvm::TypeSwitch<Operation *, Lanes>(op)
      .Case([&](arith::FloorDivSIOp) { return correctSigned(x, d, false, -1); })
      .Case([&](arith::CeilDivSIOp) { return correctSigned(x, d, true, 1); })
      .Case([&](arith::CeilDivUIOp) { return ceilUnsigned(x, d); });
}

static void replace(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

static bool isRemainder(Operation *op) { return isa<arith::RemSIOp, arith::RemUIOp>(op); }

/// A single bit: `1` cannot be told from `-1`, so division is the identity.
static bool rewriteBit(Operation *op, LaneBuilder &at) {
  Lanes x(at, op->getOperand(0));
  if (!x.getElement().isInteger(1))
    return false;
  replace(op, isRemainder(op) ? x.like(0) : x);
  return true;
}

/// x / -1  ->  0 - x, x % -1  ->  0; a constant divisor needs no guard.
static bool rewriteMinusOne(Operation *op, LaneBuilder &at) {
  APInt divisor;
  bool isSigned = !isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
  if (!isSigned || !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) ||
      !divisor.isAllOnes())
    return false;
  Lanes x(at, op->getOperand(0));
  replace(op, isRemainder(op) ? x.like(0) : -x);
  return true;
}

static void guardDivision(Operation *op, LaneBuilder &at) {
  if (rewriteBit(op, at) || rewriteMinusOne(op, at))
    return;
  bool isSigned = !isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
  Lanes x(at, op->getOperand(0)), divisor(at, op->getOperand(1));
  Lanes d = guardDivisor(x, divisor, isSigned, isRemainder(op));
  if (!isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) {
    op->setOperand(1, d);
    return;
  }
  replace(op, expandDivision(op, x, d));
}

//===----------------------------------------------------------------------===//
// Remainders beside quotients
//===----------------------------------------------------------------------===//

namespace {
/// Finds the division that has a remainder's operands.
class Quotients {
public:
  explicit Quotients(ArrayRef<Operation *> divisions) {
    for (Operation *op : divisions)
      if (isa<arith::DivSIOp, arith::DivUIOp>(op))
        byOperands.try_emplace(getKey(op, isa<arith::DivSIOp>(op)), op);
  }

  /// The one in the same block of code, before `op`; null if `op` is not a
  /// remainder of what is divided there too. By constants both are cheap.
  Operation *claim(Operation *op) const {
    bool isVariable = !matchPattern(op->getOperand(1), m_Constant());
    if (!isRemainder(op) || !isVariable || getElementType(op->getResult(0).getType()).isInteger(1))
      return nullptr;
    Operation *division = byOperands.lookup(getKey(op, isa<arith::RemSIOp>(op)));
    if (division && op->isBeforeInBlock(division))
      division->moveBefore(op);
    return division;
  }

private:
  using Key = std::tuple<Block *, Value, Value, unsigned>;
  static Key getKey(Operation *op, bool isSigned) {
    return {op->getBlock(), op->getOperand(0), op->getOperand(1), isSigned};
  }

  DenseMap<Key, Operation *> byOperands;
};
} // namespace

/// x % d  ->  x - x / d * d, where the program divides so as well. With the
/// divisor of the guard that gives what the table says for 0 and -1 too.
static void subtractQuotient(Operation *remainder, Operation *division, LaneBuilder &at) {
  Lanes x(at, division->getOperand(0)), d(at, division->getOperand(1));
  replace(remainder, x - Lanes(at, division->getResult(0)) * d);
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

static void guardShift(Operation *op, LaneBuilder &at) {
  if (rewriteBit(op, at))
    return;
  Lanes amount(at, op->getOperand(1));
  unsigned width = amount.getWidth();
  if (getValueRange(amount).umax().ult(width))
    return;
  if (llvm::isPowerOf2_32(width))
    op->setOperand(1, amount & (width - 1));
  else
    op->setOperand(1, divide<arith::RemUIOp>(amount, amount.like(width)));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct GuardArithmeticPass : tile::impl::GuardArithmeticBase<GuardArithmeticPass> {
  void runOnOperation() override {
    SmallVector<Operation *> divisions, shifts;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
              arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
        divisions.push_back(op);
      else if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
        shifts.push_back(op);
    });
    SmallVector<std::pair<Operation *, Operation *>> pairs; // remainders and their divisions
    Quotients quotients(divisions);
    llvm::erase_if(divisions, [&](Operation *op) {
      Operation *division = quotients.claim(op);
      if (division)
        pairs.emplace_back(op, division);
      return division != nullptr;
    });
    OperationFolder constants(&getContext());
    auto rewrite = [&](ArrayRef<Operation *> ops, auto guard) {
      for (Operation *op : ops) {
        LaneBuilder at(op, constants);
        guard(op, at);
      }
    };
    // A guarded shift may bound a divisor.
    rewrite(shifts, guardShift);
    rewrite(divisions, guardDivision);
    for (auto [remainder, division] : pairs) {
      LaneBuilder at(remainder, constants);
      subtractQuotient(remainder, division, at);
    }
  }
};
} // namespace
