//===- Shape.cpp - Where a block's elements come from ---------------------===//
//
// A change of shape moves no data: it maps the index in the result to the index
// in the source.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Nest.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tile;
using namespace tile::loops;

Point Nest::mapPoint(Operation *op, const Point &point) {
  std::pair<Operation *, unsigned> key(op, getPointId(point));
  if (auto found = mappedPoints.find(key); found != mappedPoints.end())
    return found->second;
  Point mapped(point);
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    for (auto [size, coord] : llvm::zip(getShape(broadcast.getSource().getType()), mapped))
      if (size == 1)
        coord = {emitter.getIndex(0), nullptr, false, 0, 0};
  } else if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    mapped.erase(mapped.begin() + expand.getAxis());
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    for (auto [dim, source] : llvm::enumerate(transpose.getOrder()))
      mapped[source] = point[dim];
  } else if (auto extract = dyn_cast<ExtractOp>(op)) {
    mapped = mapExtract(extract, point);
  } else {
    mapped = mapReshape(cast<ReshapeOp>(op), point);
  }
  return mappedPoints[key] = mapped;
}

//===----------------------------------------------------------------------===//
// Arithmetic on indices
//===----------------------------------------------------------------------===//

Coord Nest::scaleCoord(Coord coord, int64_t factor) {
  if (factor == 1 || (coord.isUniform() && matchPattern(coord.base, m_Zero())))
    return coord;
  setInsertionPoint(coord.level);
  Coord scaled{nullptr, nullptr, false, coord.level, coord.multiple * factor};
  if (coord.isUniform()) {
    scaled.base = arith::MulIOp::create(builder, loc, coord.base, emitter.getIndex(factor));
    return scaled;
  }
  Value lanes = getCoordLanes(coord);
  scaled.lanes =
      arith::MulIOp::create(builder, loc, lanes, spread({emitter.getIndex(factor), 0}).value);
  return scaled;
}

/// The index of each lane as a vector.
Value Nest::getCoordLanes(const Coord &coord) {
  if (coord.lanes)
    return coord.lanes;
  Value base = spread({coord.base, coord.level}).value;
  if (!coord.isConsecutive)
    return base;
  setInsertionPoint(coord.level);
  return arith::AddIOp::create(builder, loc, base, getIota(builder.getI64Type()));
}

Coord Nest::addCoords(Coord a, Coord b) {
  if (a.isUniform() && matchPattern(a.base, m_Zero()))
    return b;
  if (b.isUniform() && matchPattern(b.base, m_Zero()))
    return a;
  Coord sum{nullptr, nullptr, false, std::max(a.level, b.level), std::gcd(a.multiple, b.multiple)};
  if (!a.lanes && !b.lanes && !(a.isConsecutive && b.isConsecutive)) {
    setInsertionPoint(sum.level);
    sum.base = arith::AddIOp::create(builder, loc, a.base, b.base);
    sum.isConsecutive = a.isConsecutive || b.isConsecutive;
    return sum;
  }
  Value left = getCoordLanes(a), right = getCoordLanes(b);
  setInsertionPoint(sum.level);
  sum.lanes = arith::AddIOp::create(builder, loc, left, right);
  return sum;
}

/// The row-major index of `coords` in a block of `sizes`.
Coord Nest::linearize(ArrayRef<Coord> coords, ArrayRef<int64_t> sizes) {
  Coord linear{emitter.getIndex(0), nullptr, false, 0, 0};
  int64_t stride = 1;
  for (int dim = sizes.size() - 1; dim >= 0; --dim) {
    if (sizes[dim] != 1)
      linear = addCoords(linear, scaleCoord(coords[dim], stride));
    stride *= sizes[dim];
  }
  return linear;
}

/// Quotient and remainder of an index that is never negative.
std::pair<Coord, Coord> Nest::divideCoord(const Coord &coord, int64_t divisor) {
  unsigned level = coord.level;
  Coord quotient{nullptr, nullptr, false, level, 1}, rest{nullptr, nullptr, false, level, 1};
  bool staysInRow = coord.isConsecutive && divisor % width == 0 && coord.multiple % width == 0;
  if (coord.isUniform() || staysInRow) {
    Value by = emitter.getIndex(divisor);
    setInsertionPoint(level);
    quotient.base = arith::DivUIOp::create(builder, loc, coord.base, by);
    rest.base = arith::RemUIOp::create(builder, loc, coord.base, by);
    rest.isConsecutive = staysInRow;
    rest.multiple = std::gcd(coord.multiple, divisor);
    return {quotient, rest};
  }
  Value lanes = getCoordLanes(coord), by = spread({emitter.getIndex(divisor), 0}).value;
  setInsertionPoint(level);
  quotient.lanes = arith::DivUIOp::create(builder, loc, lanes, by);
  rest.lanes = arith::RemUIOp::create(builder, loc, lanes, by);
  return {quotient, rest};
}

void Nest::delinearize(Coord linear, ArrayRef<int64_t> sizes, MutableArrayRef<Coord> result) {
  Coord zero{emitter.getIndex(0), nullptr, false, 0, 0};
  int64_t outer = std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
  for (int dim = sizes.size() - 1; dim >= 0; --dim) {
    outer /= sizes[dim];
    if (sizes[dim] == 1)
      result[dim] = zero;
    else if (outer == 1)
      result[dim] = std::exchange(linear, zero);
    else
      std::tie(linear, result[dim]) = divideCoord(linear, sizes[dim]);
  }
}

/// Runs of dimensions with the same number of elements on both sides are mapped
/// one by one, so that a dimension that stays keeps its index.
Point Nest::mapReshape(ReshapeOp op, const Point &point) {
  ArrayRef<int64_t> to = getShape(op.getType()), from = getShape(op.getSource().getType());
  Point mapped(from.size());
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    size_t firstFrom = i, firstTo = j;
    int64_t source = i < from.size() ? from[i++] : 1, result = j < to.size() ? to[j++] : 1;
    while (source != result) {
      if (source < result)
        source *= from[i++];
      else
        result *= to[j++];
    }
    Coord linear =
        linearize(ArrayRef(point).slice(firstTo, j - firstTo), to.slice(firstTo, j - firstTo));
    delinearize(linear, from.slice(firstFrom, i - firstFrom),
                MutableArrayRef(mapped).slice(firstFrom, i - firstFrom));
  }
  return mapped;
}

/// join(a, b) at (..., i)  ->  i == 0 ? a : b
Lanes Nest::selectJoined(JoinOp op, const Point &point) {
  Point inner(point.begin(), point.end() - 1);
  Coord side = point.back();
  Lanes first = evaluate(op.getFirst(), inner), second = evaluate(op.getSecond(), inner);
  Lanes index =
      side.isUniform() ? Lanes{side.base, side.level} : Lanes{getCoordLanes(side), side.level};
  Lanes zero{emitter.getIndex(0), 0};
  if (!index.isUniform() || !first.isUniform() || !second.isUniform()) {
    first = spread(first);
    second = spread(second);
  }
  if (!index.isUniform())
    zero = spread(zero);
  unsigned level = std::max({first.level, second.level, index.level});
  setInsertionPoint(level);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, index.value, zero.value);
  return {arith::SelectOp::create(builder, loc, isFirst, first.value, second.value), level};
}
