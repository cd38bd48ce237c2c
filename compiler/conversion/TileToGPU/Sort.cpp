//===- Sort.cpp - Sorting rows by a bitonic network -------------------------===//
//
// Walks the plan of analysis/ThreadExchange/SortPlan.h. A falling order is a
// rising one of complements, so that all comparisons are alike.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/ThreadExchange/SortPlan.h"
#include "compiler/conversion/TileToGPU/Exchange.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"
#include "compiler/conversion/TileToGPU/Shuffle.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;

namespace {
using Values = SmallVector<Value>;

/// The lowering of one sort. What is compared is a vector of keys or, where the
/// places are asked for, of keys with the places below them: in one word where
/// both fit, else in two vectors.
class Sort {
public:
  Sort(SortOp op, ThreadLowering &t)
      : op(op), t(t), b(t.b),
        keyType(cast<IntegerType>(op.getSource().getType().getElementType())) {}

  LogicalResult run();

private:
  bool isPacked() { return op.getPlaces() && keyType.getWidth() <= 32; }
  LogicalResult enter();
  LogicalResult leave();
  LogicalResult follow(const SortStep &step);
  FailureOr<Value> convert(Value vector, const LinearLayout &from, const LinearLayout &to,
                           ArrayRef<int64_t> shape) {
    return Exchange(op, t).convert(vector, from, to, shape);
  }

  Values complement(ValueRange vectors, int bit);
  void compare(int bit);
  void keep(int bit);
  Value isLess(ValueRange lhs, ValueRange rhs);
  Values select(Value condition, ValueRange ifTrue, ValueRange ifFalse);
  Values getSmaller(ValueRange lhs, ValueRange rhs);
  Values getLarger(ValueRange lhs, ValueRange rhs);
  Values getOtherLane(unsigned bit);
  Values slice(ArrayRef<int32_t> registers) {
    return llvm::map_to_vector(values, [&](Value v) { return t.shuffle(v, registers); });
  }
  /// Registers with the bit off, and with the bit on, pair by pair.
  std::pair<SmallVector<int32_t>, SmallVector<int32_t>> getPairs(unsigned bit);

  Value resize(Value vector, unsigned bits);
  Value getConstant(Type type, const APInt &value) {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(cast<ShapedType>(type), value));
  }

  SortOp op;
  ThreadLowering &t;
  ImplicitLocOpBuilder &b;
  IntegerType keyType;
  SortPlan plan;
  LinearLayout layout;
  int direction = -1;
  Values values;
};
} // namespace

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// A vector of unsigned integers with elements of `bits`.
Value Sort::resize(Value vector, unsigned bits) {
  auto type = cast<VectorType>(vector.getType());
  unsigned have = type.getElementTypeBitWidth();
  Type wanted = type.clone(b.getIntegerType(bits));
  if (have == bits)
    return vector;
  return have < bits ? arith::ExtUIOp::create(b, wanted, vector).getResult()
                     : arith::TruncIOp::create(b, wanted, vector).getResult();
}

/// What is beyond the row gets the largest key, and a place behind all others.
LogicalResult Sort::enter() {
  RankedTensorType source = op.getSource().getType();
  int64_t row = source.getShape().back();
  unsigned axis = source.getRank() - 1;
  plan = planSort(source.getShape(), op.getSorted().getType().getShape().back(),
                  t.scope.getNumLanes(), t.scope.getNumWarps());
  layout = plan.first;
  FailureOr<Value> moved =
      convert(t.get(op.getSource()), getLinearLayout(source), layout, source.getShape());
  if (failed(moved))
    return failure();
  // Narrow keys would be widened for every shuffle.
  Value keys = resize(*moved, std::max(32u, keyType.getWidth()));
  bool isPadded = layout.getDimSize(axis) != row;
  Value places;
  if (isPadded || op.getPlaces())
    places = emitCoordinates(b, t.scope, layout, axis);
  if (isPadded) {
    Value isBeyond = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, places,
                                           getConstant(places.getType(), APInt(32, row)));
    unsigned bits = cast<VectorType>(keys.getType()).getElementTypeBitWidth();
    Value largest = getConstant(keys.getType(), APInt::getAllOnes(bits));
    keys = arith::SelectOp::create(b, isBeyond, largest, keys);
  }
  values = {keys};
  if (isPacked()) {
    Value wide = resize(keys, 64);
    Value high = arith::ShLIOp::create(b, wide, getConstant(wide.getType(), APInt(64, 32)));
    values = {arith::OrIOp::create(b, high, resize(places, 64))};
  } else if (op.getPlaces()) {
    values.push_back(places);
  }
  return success();
}

LogicalResult Sort::leave() {
  auto set = [&](Value result, Value vector) -> LogicalResult {
    FailureOr<Value> moved =
        convert(vector, layout, getLinearLayout(result.getType()), getShape(result.getType()));
    if (succeeded(moved))
      t.set(result, *moved);
    return moved;
  };
  Value keys = values.front(), places = values.back();
  if (isPacked()) {
    places = resize(keys, 32);
    keys = arith::ShRUIOp::create(b, keys, getConstant(keys.getType(), APInt(64, 32)));
  }
  if (op.getPlaces() && failed(set(op.getPlaces(), places)))
    return failure();
  return set(op.getSorted(), resize(keys, keyType.getWidth()));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

Values Sort::select(Value condition, ValueRange ifTrue, ValueRange ifFalse) {
  return llvm::map_to_vector(llvm::zip(ifTrue, ifFalse), [&](auto pair) -> Value {
    auto [yes, no] = pair;
    return arith::SelectOp::create(b, condition, yes, no);
  });
}

Value Sort::isLess(ValueRange lhs, ValueRange rhs) {
  auto compare = [&](arith::CmpIPredicate predicate, size_t i) -> Value {
    return arith::CmpIOp::create(b, predicate, lhs[i], rhs[i]);
  };
  Value less = compare(arith::CmpIPredicate::ult, 0);
  if (lhs.size() == 1)
    return less;
  Value tie = arith::AndIOp::create(b, compare(arith::CmpIPredicate::eq, 0),
                                    compare(arith::CmpIPredicate::ult, 1));
  return arith::OrIOp::create(b, less, tie);
}

Values Sort::getSmaller(ValueRange lhs, ValueRange rhs) {
  if (lhs.size() == 1)
    return {arith::MinUIOp::create(b, lhs.front(), rhs.front())};
  return select(isLess(lhs, rhs), lhs, rhs);
}

Values Sort::getLarger(ValueRange lhs, ValueRange rhs) {
  if (lhs.size() == 1)
    return {arith::MaxUIOp::create(b, lhs.front(), rhs.front())};
  return select(isLess(lhs, rhs), rhs, lhs);
}

/// Complement what has `bit` of its index set.
Values Sort::complement(ValueRange vectors, int bit) {
  if (bit < 0)
    return Values(vectors);
  InputBit place = findSortedBit(layout, bit);
  Value thread;
  if (place.dim != Dim::Register)
    thread = createEquals(b, createAnd(b, t.scope.getIndex(place.dim), int64_t(1) << place.bit),
                          int64_t(1) << place.bit);
  return llvm::map_to_vector(vectors, [&](Value vector) -> Value {
    auto type = cast<VectorType>(vector.getType());
    if (thread) {
      Value all = arith::ExtSIOp::create(b, type.getElementType(), thread);
      return arith::XOrIOp::create(b, vector, vector::BroadcastOp::create(b, type, all));
    }
    unsigned bits = type.getElementTypeBitWidth();
    SmallVector<APInt> masks;
    for (int64_t reg = 0; reg < type.getNumElements(); ++reg)
      masks.push_back(reg >> place.bit & 1 ? APInt::getAllOnes(bits) : APInt::getZero(bits));
    Value mask = arith::ConstantOp::create(b, DenseElementsAttr::get(type, masks));
    return arith::XOrIOp::create(b, vector, mask);
  });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

std::pair<SmallVector<int32_t>, SmallVector<int32_t>> Sort::getPairs(unsigned bit) {
  std::pair<SmallVector<int32_t>, SmallVector<int32_t>> pairs;
  int32_t step = int32_t(1) << bit;
  for (int32_t reg = 0, end = layout.getInSize(Dim::Register); reg < end; ++reg)
    if ((reg & step) == 0) {
      pairs.first.push_back(reg);
      pairs.second.push_back(reg | step);
    }
  return pairs;
}

Values Sort::getOtherLane(unsigned bit) {
  return llvm::map_to_vector(values, [&](Value vector) {
    Values moved;
    for (Value reg : t.unpack(vector))
      moved.push_back(emitShuffle(t, reg, /*from=*/Value(), uint64_t(1) << bit));
    return t.pack(moved);
  });
}

void Sort::compare(int bit) {
  InputBit place = findSortedBit(layout, bit);
  if (place.dim == Dim::Lane) {
    Values others = getOtherLane(place.bit);
    Value isHigher = createEquals(b, createAnd(b, t.scope.getLane(), int64_t(1) << place.bit),
                                  int64_t(1) << place.bit);
    Value less = isLess(others, values);
    Value higher = vector::BroadcastOp::create(b, less.getType(), isHigher);
    values = select(arith::XOrIOp::create(b, less, higher), others, values);
    return;
  }
  auto [low, high] = getPairs(place.bit);
  Values lows = slice(low), highs = slice(high);
  SmallVector<int32_t> back(low.size() + high.size());
  for (auto [i, pair] : llvm::enumerate(llvm::zip(low, high))) {
    back[std::get<0>(pair)] = int32_t(i);
    back[std::get<1>(pair)] = int32_t(low.size() + i);
  }
  Values smaller = getSmaller(lows, highs), larger = getLarger(lows, highs);
  for (auto [value, first, second] : llvm::zip(values, smaller, larger))
    value = t.shuffle(first, second, back);
}

void Sort::keep(int bit) {
  InputBit place = findSortedBit(layout, bit);
  if (place.dim == Dim::Lane) {
    values = getSmaller(values, getOtherLane(place.bit));
    return;
  }
  auto [low, high] = getPairs(place.bit);
  values = getSmaller(slice(low), slice(high));
}

LogicalResult Sort::follow(const SortStep &step) {
  switch (step.kind) {
  case SortStep::Direct:
    values = complement(complement(values, direction), step.bit);
    direction = step.bit;
    return success();
  case SortStep::Compare:
    compare(step.bit);
    return success();
  case SortStep::Keep:
    keep(step.bit);
    layout = step.layout;
    return success();
  case SortStep::Move:
    for (Value &value : values) {
      FailureOr<Value> moved = convert(value, layout, step.layout, layout.getShape());
      if (failed(moved))
        return failure();
      value = *moved;
    }
    layout = step.layout;
    return success();
  }
  return failure();
}

LogicalResult Sort::run() {
  if (failed(enter()))
    return failure();
  for (const SortStep &step : plan.steps)
    if (failed(follow(step)))
      return failure();
  return leave();
}

LogicalResult tile::lower(SortOp op, ThreadLowering &t) { return Sort(op, t).run(); }
