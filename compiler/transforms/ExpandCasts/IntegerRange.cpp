//===- IntegerRange.cpp - Between what bounds integers are ----------------===//
#include "compiler/transforms/ExpandCasts/IntegerRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;

/// Those of a value, if they are known.
using Bounds = std::optional<IntegerRange>;

/// Sums of bounds stay far from overflow.
static constexpr unsigned kMostBits = 31;

namespace {
class RangeFinder {
public:
  Bounds find(Value value, unsigned depth);

private:
  Bounds findOf(Operation *op, unsigned depth);

  DenseMap<Value, Bounds> known;
};
} // namespace

static unsigned getWidth(Value value) {
  return getElementType(value.getType()).getIntOrFloatBitWidth();
}

/// What an integer of `bits` can be.
static Bounds getRangeOfBits(unsigned bits) {
  if (bits > kMostBits)
    return std::nullopt;
  return IntegerRange{-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
}

static Bounds getRangeOfConstant(Operation *op) {
  APInt number;
  DenseIntElementsAttr elements;
  if (matchPattern(op, m_ConstantInt(&number)))
    return number.isSignedIntN(kMostBits)
               ? Bounds(IntegerRange{number.getSExtValue(), number.getSExtValue()})
               : std::nullopt;
  if (!matchPattern(op, m_Constant(&elements)) || elements.empty())
    return std::nullopt;
  Bounds all;
  auto include = [&](const APInt &element) {
    if (!element.isSignedIntN(kMostBits))
      return false;
    int64_t value = element.getSExtValue();
    all = all ? IntegerRange{std::min(all->low, value), std::max(all->high, value)}
              : IntegerRange{value, value};
    return true;
  };
  bool isKnown = elements.isSplat() ? include(elements.getSplatValue<APInt>())
                                    : llvm::all_of(elements.getValues<APInt>(), include);
  return isKnown ? all : std::nullopt;
}

/// Of bits that both have, of which one is not negative.
static Bounds getMasked(Bounds a, Bounds b) {
  Bounds best;
  for (Bounds side : {a, b})
    if (side && side->low >= 0 && (!best || side->high < best->high))
      best = IntegerRange{0, side->high};
  return best;
}

static Bounds getUnion(Bounds a, Bounds b) {
  return a && b ? Bounds(IntegerRange{std::min(a->low, b->low), std::max(a->high, b->high)})
                : std::nullopt;
}

Bounds RangeFinder::findOf(Operation *op, unsigned depth) {
  auto of = [&](unsigned index) { return find(op->getOperand(index), depth + 1); };
  return TypeSwitch<Operation *, Bounds>(op)
      .Case<BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, ConvertLayoutOp, SplatOp, SplitOp,
            HintOp, arith::ExtSIOp>([&](auto) { return of(0); })
      .Case([&](arith::ExtUIOp extend) -> Bounds {
        if (Bounds range = of(0); range && range->low >= 0)
          return range;
        unsigned bits = getWidth(extend.getIn());
        return bits < kMostBits ? Bounds(IntegerRange{0, (int64_t(1) << bits) - 1}) : std::nullopt;
      })
      .Case([&](arith::TruncIOp truncate) -> Bounds {
        Bounds range = of(0), whole = getRangeOfBits(getWidth(truncate));
        return range && (!whole || range->isWithin(whole->low, whole->high)) ? range : whole;
      })
      .Case([&](arith::AndIOp) { return getMasked(of(0), of(1)); })
      .Case<arith::ShRUIOp, arith::ShRSIOp>([&](auto shift) -> Bounds {
        Bounds range = of(0), by = of(1);
        if (range && range->low >= 0)
          return IntegerRange{0, range->high};
        int64_t left = getWidth(shift) - (by ? by->low : 0);
        return isa<arith::ShRUIOp>(shift) && by && by->low > 0 && left >= 0 && left < kMostBits
                   ? Bounds(IntegerRange{0, (int64_t(1) << left) - 1})
                   : std::nullopt;
      })
      .Case([&](arith::SubIOp) -> Bounds {
        Bounds a = of(0), b = of(1);
        return a && b ? Bounds(IntegerRange{a->low - b->high, a->high - b->low}) : std::nullopt;
      })
      .Case([&](arith::AddIOp) -> Bounds {
        Bounds a = of(0), b = of(1);
        return a && b ? Bounds(IntegerRange{a->low + b->low, a->high + b->high}) : std::nullopt;
      })
      .Case([&](JoinOp) { return getUnion(of(0), of(1)); })
      .Case([&](arith::SelectOp) { return getUnion(of(1), of(2)); })
      .Default([&](Operation *other) { return getRangeOfConstant(other); });
}

Bounds RangeFinder::find(Value value, unsigned depth) {
  constexpr unsigned kMostDepth = 24;
  if (!isa<IntegerType>(getElementType(value.getType())))
    return std::nullopt;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Bounds whole = getRangeOfBits(getWidth(value)), range;
  if (Operation *def = value.getDefiningOp(); def && depth < kMostDepth)
    range = findOf(def, depth);
  // A sum beyond what its type holds comes out as another number.
  int64_t most = (int64_t(1) << (std::min(getWidth(value), kMostBits) - 1)) - 1;
  if (!range || !range->isWithin(-most - 1, most))
    range = whole;
  return known[value] = range;
}

std::optional<IntegerRange> tile::findIntegerRange(Value value) {
  return RangeFinder().find(value, 0);
}
