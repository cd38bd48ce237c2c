//===- ExpandSorts.cpp - One order for all sorts ---------------------------===//
#include "compiler/transforms/ExpandSorts/ExpandSorts.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {
#define GEN_PASS_DEF_EXPANDSORTS
#include "compiler/transforms/ExpandSorts/ExpandSorts.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
/// Makes keys of the elements of one sort, and elements of keys.
class KeyCoder {
public:
  KeyCoder(SortOp op, ImplicitLocOpBuilder &b)
      : b(b), element(op.getSource().getType().getElementType()), isUnsigned(op.getIsUnsigned()),
        isDescending(op.getDescending()) {
    bits = std::max(8u, element.getIntOrFloatBitWidth());
    signBit = APInt::getSignMask(bits);
  }

  Value encode(Value elements);
  Value decode(Value keys);

private:
  Value getConstant(Type type, const APInt &value) {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(cast<ShapedType>(type), value));
  }
  Value flip(Value keys, const APInt &mask) {
    if (mask.isZero())
      return keys;
    return arith::XOrIOp::create(b, keys, getConstant(keys.getType(), mask));
  }
  /// All bits of an element are its sign.
  Value spreadSign(Value keys) {
    Value last = getConstant(keys.getType(), APInt(bits, bits - 1));
    return arith::ShRSIOp::create(b, keys, last);
  }
  bool isBoolean() const { return element.isInteger(1); }
  /// The bits in which the key of an integer differs from it.
  APInt getFlips() const {
    APInt flips = isUnsigned || isBoolean() ? APInt::getZero(bits) : signBit;
    return isDescending ? ~flips : flips;
  }

  ImplicitLocOpBuilder &b;
  Type element;
  bool isUnsigned, isDescending;
  unsigned bits;
  APInt signBit;
};
} // namespace

Value KeyCoder::encode(Value elements) {
  Type type = withElementType(elements.getType(), b.getIntegerType(bits));
  auto number = dyn_cast<FloatType>(element);
  if (!number) {
    if (isBoolean())
      elements = arith::ExtUIOp::create(b, type, elements);
    return flip(elements, getFlips());
  }
  Value raw = arith::BitcastOp::create(b, type, elements);
  Value flips = arith::OrIOp::create(b, spreadSign(raw), getConstant(type, signBit));
  Value keys = arith::XOrIOp::create(b, raw, flips);
  // NaN: larger than infinity, the sign aside.
  APInt infinity = APFloat::getInf(number.getFloatSemantics()).bitcastToAPInt();
  Value magnitude = arith::AndIOp::create(b, raw, getConstant(type, ~signBit));
  Value isNaN =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, magnitude, getConstant(type, infinity));
  Value largest = getConstant(type, APInt::getAllOnes(bits));
  keys = arith::SelectOp::create(b, isNaN, largest, keys);
  return isDescending ? flip(keys, APInt::getAllOnes(bits)) : keys;
}

Value KeyCoder::decode(Value keys) {
  if (!isa<FloatType>(element)) {
    Value elements = flip(keys, getFlips());
    if (!isBoolean())
      return elements;
    return arith::TruncIOp::create(b, withElementType(keys.getType(), element), elements);
  }
  Type type = keys.getType();
  if (isDescending)
    keys = flip(keys, APInt::getAllOnes(bits));
  // Keys of numbers without a minus have the highest bit set.
  Value negative = flip(spreadSign(keys), APInt::getAllOnes(bits));
  Value flips = arith::OrIOp::create(b, negative, getConstant(type, signBit));
  Value raw = arith::XOrIOp::create(b, keys, flips);
  return arith::BitcastOp::create(b, withElementType(type, element), raw);
}

static bool isExpanded(SortOp op) {
  Type element = op.getSource().getType().getElementType();
  return op.getIsUnsigned() && !op.getDescending() && isa<IntegerType>(element) &&
         !element.isInteger(1);
}

static void expand(SortOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  KeyCoder coder(op, b);
  Value keys = coder.encode(op.getSource());
  Type sorted = withElementType(op.getSorted().getType(), getElementType(keys.getType()));
  Type places = op.getPlaces() ? op.getPlaces().getType() : Type();
  auto sort = SortOp::create(b, sorted, places, keys, /*descending=*/false, /*isUnsigned=*/true);
  op.getSorted().replaceAllUsesWith(coder.decode(sort.getSorted()));
  if (places)
    op.getPlaces().replaceAllUsesWith(sort.getPlaces());
  op.erase();
}

namespace {
struct ExpandSortsPass : tile::impl::ExpandSortsBase<ExpandSortsPass> {
  void runOnOperation() override {
    getOperation().walk([](SortOp op) {
      if (!isExpanded(op))
        expand(op);
    });
  }
};
} // namespace
