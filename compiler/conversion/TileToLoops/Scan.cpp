//===- Scan.cpp - Scans along and across lanes ----------------------------===//
//
// Across lanes, a vector of what was met so far goes from row to row. Along
// lanes, a few elements at a time are scanned in a vector, by doubling steps,
// and take in what the vector before has left. The order is the same on every
// machine.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/BufferAccess.h"
#include "compiler/conversion/TileToLoops/Combiner.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

/// Lanes that are scanned at a time. Fixed, because the order of sums depends on it.
static constexpr int64_t kScanLanes = 16;

namespace {
class ScanEmitter {
public:
  ScanEmitter(Emitter &emitter, OpBuilder &builder, ScanOp op)
      : access(emitter, builder, op.getLoc()), builder(builder), loc(op.getLoc()), op(op),
        blocks(emitter.getPlan().getCollective(op)), shape(getShape(op.getSources()[0].getType())),
        axis(op.getAxis()), size(shape[axis]) {}
  void emit();

private:
  using Values = SmallVector<Value>;

  void emitAcross(int64_t lanes);
  void emitAlong();
  Values scanLanes(Values values, int64_t lanes, int64_t count);
  Values shiftLanes(ValueRange values, int64_t lanes, int64_t step);
  Values carryFrom(ValueRange values, int64_t lanes);
  Values combine(ValueRange earlier, ValueRange later) {
    return applyCombiner(access.emitter, builder, loc, op.getCombiner(), earlier, later);
  }
  Value getMask(int64_t lanes, function_ref<bool(int64_t)> isOn);
  Values load(Value index, int64_t lanes);
  void store(Value index, ValueRange values);
  SmallVector<Value> at(Value index);

  BufferAccess access;
  OpBuilder &builder;
  Location loc;
  ScanOp op;
  const CollectivePlan &blocks;
  ArrayRef<int64_t> shape;
  int64_t axis, size;
  SmallVector<Value> position; // of the loops around the axis
};
} // namespace

void ScanEmitter::emit() {
  OpBuilder::InsertionGuard guard(builder);
  int lane = getLaneDimension(shape);
  position.assign(shape.size(), access.getIndex(0));
  for (int dim = 0; dim < static_cast<int>(shape.size()); ++dim)
    if (dim != axis && dim != lane && shape[dim] != 1)
      position[dim] = access.openLoop(0, shape[dim], 1).getInductionVar();
  if (lane == axis)
    return emitAlong();
  int64_t lanes = 0;
  if (lane >= 0) {
    lanes = getChunkWidth(shape[lane]);
    int64_t padded = llvm::alignTo(shape[lane], lanes);
    if (padded > lanes)
      position[lane] = access.openLoop(0, padded, lanes).getInductionVar();
  }
  emitAcross(lanes);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

SmallVector<Value> ScanEmitter::at(Value index) {
  SmallVector<Value> indices(position);
  indices[axis] = index;
  return indices;
}

ScanEmitter::Values ScanEmitter::load(Value index, int64_t lanes) {
  return llvm::map_to_vector(
      blocks.sources, [&](Buffer *source) { return access.load(*source, at(index), lanes); });
}

void ScanEmitter::store(Value index, ValueRange values) {
  for (auto [result, value] : llvm::zip(blocks.results, values))
    access.store(*result, at(index), value);
}

//===----------------------------------------------------------------------===//
// Across lanes
//===----------------------------------------------------------------------===//

void ScanEmitter::emitAcross(int64_t lanes) {
  Value first = access.getIndex(op.getReverse() ? size - 1 : 0);
  Values met = load(first, lanes);
  store(first, met);
  if (size == 1)
    return;
  scf::ForOp loop = access.openLoop(1, size, 1, met);
  Value index = loop.getInductionVar();
  if (op.getReverse())
    index = arith::SubIOp::create(builder, loc, access.getIndex(size - 1), index);
  Values next = combine(loop.getRegionIterArgs(), load(index, lanes));
  store(index, next);
  scf::YieldOp::create(builder, loc, next);
}

//===----------------------------------------------------------------------===//
// Along lanes
//===----------------------------------------------------------------------===//

Value ScanEmitter::getMask(int64_t lanes, function_ref<bool(int64_t)> isOn) {
  SmallVector<bool> on;
  for (int64_t lane = 0; lane < lanes; ++lane)
    on.push_back(isOn(lane));
  auto type = VectorType::get({lanes}, builder.getI1Type());
  return access.emitter.getConstant(DenseElementsAttr::get(type, on));
}

/// Each lane's element of `step` lanes earlier; those that have none keep theirs.
ScanEmitter::Values ScanEmitter::shiftLanes(ValueRange values, int64_t lanes, int64_t step) {
  SmallVector<int64_t> from;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t earlier = op.getReverse() ? lane + step : lane - step;
    from.push_back(earlier >= 0 && earlier < lanes ? earlier : lane);
  }
  return llvm::map_to_vector(values, [&](Value value) -> Value {
    return vector::ShuffleOp::create(builder, loc, value, value, from);
  });
}

/// Scan the first `count` lanes of a vector.
ScanEmitter::Values ScanEmitter::scanLanes(Values values, int64_t lanes, int64_t count) {
  for (int64_t step = 1; step < lanes; step *= 2) {
    Value hasEarlier = getMask(
        lanes, [&](int64_t lane) { return op.getReverse() ? lane + step < count : lane >= step; });
    Values combined = combine(shiftLanes(values, lanes, step), values);
    for (auto [value, both] : llvm::zip(values, combined))
      value = arith::SelectOp::create(builder, loc, hasEarlier, both, value);
  }
  return values;
}

/// What the next vector takes in, in all lanes.
ScanEmitter::Values ScanEmitter::carryFrom(ValueRange values, int64_t lanes) {
  SmallVector<int64_t> from(lanes, op.getReverse() ? 0 : lanes - 1);
  return llvm::map_to_vector(values, [&](Value value) -> Value {
    return vector::ShuffleOp::create(builder, loc, value, value, from);
  });
}

/// The first vector has none before it, and is the one that may reach beyond the
/// row where the scan starts at its end.
void ScanEmitter::emitAlong() {
  int64_t lanes = std::min<int64_t>(kScanLanes, llvm::PowerOf2Ceil(size));
  int64_t vectors = llvm::divideCeil(size, lanes);
  int64_t last = (vectors - 1) * lanes;
  Value first = access.getIndex(op.getReverse() ? last : 0);
  Values met = scanLanes(load(first, lanes), lanes, op.getReverse() ? size - last : lanes);
  store(first, met);
  if (vectors == 1)
    return;
  scf::ForOp loop = access.openLoop(lanes, vectors * lanes, lanes, carryFrom(met, lanes));
  Value index = loop.getInductionVar();
  if (op.getReverse())
    index = arith::SubIOp::create(builder, loc, access.getIndex(last), index);
  Values own = scanLanes(load(index, lanes), lanes, lanes);
  Values next = combine(loop.getRegionIterArgs(), own);
  store(index, next);
  scf::YieldOp::create(builder, loc, carryFrom(next, lanes));
}

void Emitter::emitScan(ScanOp op) { ScanEmitter(*this, builder, op).emit(); }
