//===- Masks.cpp - Ranges of lanes that need no mask ----------------------===//
//
// A mask is often `index < bound`: true for all lanes up to some point. The lane
// loop is then split there, and its first part runs without masks. Conditions
// that all lanes of a row share count as ranges that are empty or full.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Nest.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

/// Whether an index, which grows by one from lane to lane, may start again.
static bool hasRemainder(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isVirtual(op) || isa<LoadOp>(op))
    return false;
  return isa<arith::RemSIOp, arith::RemUIOp>(op) || llvm::any_of(op->getOperands(), hasRemainder);
}

/// The number of lanes below which `compare` is true, clamped to the block; null
/// where it is not a range.
Value Nest::getBound(arith::CmpIOp compare, const Point &point) {
  using P = arith::CmpIPredicate;
  Value index = compare.getLhs(), limit = compare.getRhs();
  P predicate = compare.getPredicate();
  if (predicate == P::sgt || predicate == P::sge || predicate == P::ugt || predicate == P::uge) {
    std::swap(index, limit);
    predicate = arith::CmpIPredicate(predicate == P::sgt   ? P::slt
                                     : predicate == P::sge ? P::sle
                                     : predicate == P::ugt ? P::ult
                                                           : P::ule);
  }
  bool isSigned = predicate == P::slt || predicate == P::sle;
  if (!isSigned && predicate != P::ult && predicate != P::ule)
    return nullptr;
  bool startsAtLane = llvm::all_of(point, [&](const Coord &coord) {
    return coord.isUniform() || (coord.isConsecutive && coord.base == position[laneDim].base);
  });
  std::optional<int64_t> indexStride = getStride(index, point);
  std::optional<int64_t> limitStride = getStride(limit, point);
  // `floor <= index`: true for all lanes if it is for the first.
  bool isFloor = isSigned && indexStride == 0 && limitStride == 1 && !hasRemainder(limit);
  if (!startsAtLane || (!isFloor && (indexStride != 1 || limitStride != 0 || hasRemainder(index))))
    return nullptr;
  Value first = evaluateFirst(index, point).value, last = evaluateFirst(limit, point).value;
  setInsertionPoint(getInnermost());
  Type i64 = builder.getI64Type();
  auto widen = [&](Value value) -> Value {
    if (value.getType() == i64)
      return value;
    return isSigned ? arith::ExtSIOp::create(builder, loc, i64, value).getResult()
                    : arith::ExtUIOp::create(builder, loc, i64, value).getResult();
  };
  first = widen(first);
  last = widen(last);
  if (isFloor) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, first, last);
    return arith::SelectOp::create(builder, loc, holds, emitter.getIndex(current->shape[laneDim]),
                                   emitter.getIndex(0));
  }
  // last - first as an unsigned number is right whenever there is a live lane.
  bool isInclusive = predicate == P::sle || predicate == P::ule;
  Value isLive = arith::CmpIOp::create(builder, loc, predicate, first, last);
  Value count = arith::SubIOp::create(builder, loc, last, first);
  Value size = emitter.getIndex(current->shape[laneDim]);
  count = arith::MinUIOp::create(builder, loc, count, size);
  if (isInclusive) {
    count = arith::AddIOp::create(builder, loc, count, emitter.getIndex(1));
    count = arith::MinUIOp::create(builder, loc, count, size);
  }
  return arith::SelectOp::create(builder, loc, isLive, count, emitter.getIndex(0));
}

/// The bound of one term of a conjunction, or null where it is not a range.
Value Nest::computeBound(Value term, const Point &point) {
  if (getStride(term, point) == 0) {
    Value condition = evaluateFirst(term, point).value;
    setInsertionPoint(getInnermost());
    return arith::SelectOp::create(builder, loc, condition,
                                   emitter.getIndex(current->shape[laneDim]), emitter.getIndex(0));
  }
  auto compare = term.getDefiningOp<arith::CmpIOp>();
  return compare ? getBound(compare, point) : Value();
}

/// The terms of the conjunction `mask` that are ranges.
void Nest::collectTerms(Value mask, const Point &point, SmallVectorImpl<RangeTerm> &terms) {
  Buffer *buffer = emitter.getPlan().getBuffer(mask);
  Operation *op = mask.getDefiningOp();
  if (!op || !isBlock(mask) || (buffer && !current->writes(mask, buffer)) ||
      isa<arith::ConstantOp>(op))
    return;
  if (isa<arith::AndIOp>(op)) {
    collectTerms(op->getOperand(0), point, terms);
    return collectTerms(op->getOperand(1), point, terms);
  }
  bool isView = isa<BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, ExtractOp>(op);
  if (isView && getStride(mask, point) != 0)
    return collectTerms(op->getOperand(0), mapPoint(op, point), terms);
  Key key(mask, getPointId(point));
  auto found = bounds.find(key);
  if (found == bounds.end())
    found = bounds.try_emplace(key, computeBound(mask, point)).first;
  if (found->second)
    terms.push_back({mask, point, found->second});
}

/// The range terms of the masks of the loads that `value` is computed from.
void Nest::collectMasks(Value value, const Point &point, SmallVectorImpl<RangeTerm> &terms,
                        DenseSet<Key> &visited) {
  Operation *op = value.getDefiningOp();
  Buffer *buffer = emitter.getPlan().getBuffer(value);
  if (!op || !isBlock(value) || !isVirtual(op) || (buffer && !current->writes(value, buffer)) ||
      !visited.insert({value, getPointId(point)}).second)
    return;
  if (auto load = dyn_cast<LoadOp>(op))
    if (load.getMask() && getStride(load.getPointer(), point) != 0)
      collectTerms(load.getMask(), point, terms);
  Point below(point);
  if (isa<BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, ExtractOp>(op))
    below = mapPoint(op, point);
  else if (isa<JoinOp>(op))
    below.pop_back();
  else if (isShapeChange(op))
    return; // lanes below are others than those of the loop
  for (Value operand : op->getOperands())
    collectMasks(operand, below, terms, visited);
}

/// The lanes beyond which no root does anything, or null where some always does.
Value Nest::getStopBound(const Group &group) {
  // A floor that the first lane is below of may hold further on.
  auto isFloor = [&](const RangeTerm &term) {
    auto compare = term.condition.getDefiningOp<arith::CmpIOp>();
    if (!compare || getStride(term.condition, term.point) == 0)
      return false;
    bool grows = getStride(compare.getLhs(), term.point) == 1;
    using P = arith::CmpIPredicate;
    P predicate = compare.getPredicate();
    return grows ? predicate == P::sge || predicate == P::sgt
                 : predicate == P::sle || predicate == P::slt;
  };
  Value stop;
  for (const Root &root : group.roots) {
    auto store = dyn_cast_or_null<StoreOp>(root.op);
    if (!store || !store.getMask())
      return nullptr;
    SmallVector<RangeTerm> terms;
    collectTerms(store.getMask(), position, terms);
    if (llvm::all_of(terms, isFloor))
      return nullptr;
    setInsertionPoint(getInnermost());
    Value bound;
    for (const RangeTerm &term : terms) {
      if (isFloor(term))
        continue;
      bound =
          bound ? arith::MinUIOp::create(builder, loc, bound, term.bound).getResult() : term.bound;
    }
    stop = stop ? arith::MaxUIOp::create(builder, loc, stop, bound).getResult() : bound;
  }
  return stop;
}

/// The range terms of all accesses of the group, and how many of them, which come
/// first, are those of loads.
SmallVector<Nest::RangeTerm> Nest::collectRangeTerms(const Group &group, size_t &numOfLoads) {
  SmallVector<RangeTerm> terms;
  DenseSet<Key> visited;
  for (const Root &root : group.roots) {
    if (root.value)
      collectMasks(root.value, position, terms, visited);
    else
      for (Value operand : root.op->getOperands())
        collectMasks(operand, position, terms, visited);
  }
  numOfLoads = terms.size();
  for (const Root &root : group.roots) {
    if (auto store = dyn_cast_or_null<StoreOp>(root.op); store && store.getMask())
      collectTerms(store.getMask(), position, terms);
  }
  return terms;
}

/// Where the lane loop is split; none where no lane needs a mask.
std::optional<Nest::Split> Nest::findSplit(const Group &group) {
  int64_t size = group.shape[laneDim], even = size / width * width;
  // A row of one chunk is read once and likely cached, where masks cost nothing,
  // if the machine has masks for all types.
  bool isOneChunk = size <= width && emitter.getVectorBytes() >= 64;
  SmallVector<RangeTerm> terms;
  size_t numOfLoads = 0;
  if (!isOneChunk)
    terms = collectRangeTerms(group, numOfLoads);
  if (terms.empty() && even == size)
    return std::nullopt;
  // Masks cost little beside a large body, and stores little in any: neither is
  // worth a second copy.
  bool isSmall = width == kChunk;
  bool isOnePart = emitter.getVectorBytes() >= 64 && (isLarge || (!isSmall && numOfLoads == 0));
  if (isOnePart)
    even = 0;
  if (terms.empty())
    return Split{emitter.getIndex(even), emitter.getIndex(size)};
  Value stop = getStopBound(group);
  if (isOnePart)
    return Split{emitter.getIndex(0), stop ? stop : emitter.getIndex(size)};
  setInsertionPoint(getInnermost());
  Value full = emitter.getIndex(even);
  for (const RangeTerm &term : terms)
    if (rangeTerms.insert({term.condition, getPointId(term.point)}).second)
      full = arith::MinUIOp::create(builder, loc, full, term.bound);
  full = arith::AndIOp::create(builder, loc, full, emitter.getIndex(-width));
  return Split{full, stop ? stop : emitter.getIndex(size)};
}
