//===- Move.cpp - Elements from other places of a block -------------------===//
//
// As with changes of shape, no data moves: the index in the result gives the
// index in the source, through a value for a gather.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Nest.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace tile;
using namespace tile::loops;

/// Index i of a dimension  ->  offset + i * stride
Point Nest::mapExtract(ExtractOp op, const Point &point) {
  Point mapped(point);
  for (auto [coord, size, offset, stride] :
       llvm::zip(mapped, getShape(op.getType()), op.getOffsets(), op.getStrides())) {
    Coord start{emitter.getIndex(offset), nullptr, false, 0, offset};
    coord = size == 1 ? start : addCoords(scaleCoord(coord, stride), start);
  }
  return mapped;
}

Lanes Nest::computeGather(GatherOp op, const Point &point) {
  unsigned axis = op.getAxis();
  Lanes index = evaluate(op.getIndex(), point);
  unsigned bits = getElementType(op.getIndex().getType()).getIntOrFloatBitWidth();
  int64_t last = getShape(op.getSource().getType())[axis] - 1;
  setInsertionPoint(index.level);
  Value place = index.value;
  Type i64 = builder.getI64Type();
  Type wide = index.isUniform() ? i64 : Type(getVector(i64));
  if (bits < 64)
    place = arith::ExtUIOp::create(builder, loc, wide, place);
  Lanes limit{emitter.getIndex(last), 0};
  if (!index.isUniform())
    limit = spread(limit);
  setInsertionPoint(index.level);
  place = arith::MinUIOp::create(builder, loc, place, limit.value);
  Point mapped(point);
  if (index.isUniform())
    mapped[axis] = {place, nullptr, false, index.level, 1};
  else
    mapped[axis] = {nullptr, place, false, index.level, 1};
  return evaluate(op.getSource(), mapped);
}

/// cat(a, b) at i  ->  i < size of a ? a at min(i, last of a) : b at max(i - size of a, 0)
///
/// A chunk that lies on one side as a whole keeps its lanes consecutive on both.
Lanes Nest::computeCat(CatOp op, const Point &point) {
  unsigned axis = op.getAxis();
  const Coord &coord = point[axis];
  int64_t size = getShape(op.getFirst().getType())[axis];
  int64_t other = getShape(op.getSecond().getType())[axis];
  bool isWhole = coord.isUniform() || (coord.isConsecutive && size % width == 0 &&
                                       other % width == 0 && coord.multiple % width == 0);
  Point first(point), second(point);
  auto clamp = [&](Coord from, int64_t offset, int64_t low, int64_t high) {
    Coord moved = addCoords(from, {emitter.getIndex(offset), nullptr, false, 0, offset});
    Coord clamped{nullptr, nullptr, isWhole && moved.isConsecutive, moved.level,
                  std::gcd(coord.multiple, size)};
    auto toRange = [&](Value value, Value lowest, Value highest) -> Value {
      setInsertionPoint(moved.level);
      value = arith::MaxSIOp::create(builder, loc, value, lowest);
      return arith::MinSIOp::create(builder, loc, value, highest);
    };
    if (isWhole)
      clamped.base = toRange(moved.base, emitter.getIndex(low), emitter.getIndex(high));
    else
      clamped.lanes = toRange(getCoordLanes(moved), spread({emitter.getIndex(low), 0}).value,
                              spread({emitter.getIndex(high), 0}).value);
    return clamped;
  };
  // The last index a chunk may begin at, where chunks are whole.
  int64_t chunk = isWhole && coord.isConsecutive ? width : 1;
  first[axis] = clamp(coord, 0, 0, size - chunk);
  second[axis] = clamp(coord, -size, 0, other - chunk);
  return selectBelow(coord, size, evaluate(op.getFirst(), first), evaluate(op.getSecond(), second));
}

Lanes Nest::selectBelow(const Coord &coord, int64_t bound, Lanes low, Lanes high) {
  bool isWhole = !coord.lanes && bound % width == 0 && coord.multiple % width == 0;
  Lanes index = coord.isUniform() || isWhole ? Lanes{coord.base, coord.level}
                                             : Lanes{getCoordLanes(coord), coord.level};
  if (!index.isUniform() || !low.isUniform() || !high.isUniform()) {
    low = spread(low);
    high = spread(high);
  }
  Lanes limit{emitter.getIndex(bound), 0};
  if (!index.isUniform())
    limit = spread(limit);
  unsigned level = std::max({low.level, high.level, index.level});
  setInsertionPoint(level);
  Value isLow =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index.value, limit.value);
  return {arith::SelectOp::create(builder, loc, isLow, low.value, high.value), level};
}
