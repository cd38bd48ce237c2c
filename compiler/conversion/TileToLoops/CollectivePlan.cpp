//===- CollectivePlan.cpp - Memory of scans, sorts and histograms ---------===//
//
// They read and write whole blocks in the arena, in loops of their own.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/GroupBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

Buffer *GroupBuilder::stageSource(Operation *op, Value value, Buffer *target) {
  Type element = getElementType(value.getType());
  if (Buffer *own = plan.getBuffer(value); own && own->element == element)
    return own;
  if (!target)
    target = plan.createBuffer(element, getShape(value.getType()));
  addWrite(value, target, op);
  return target;
}

void GroupBuilder::visitScan(ScanOp op) {
  CollectivePlan &blocks = plan.collectives[op];
  for (auto [source, result] : llvm::zip(op.getSources(), op.getScanned())) {
    Buffer *buffer =
        plan.createBuffer(getElementType(result.getType()), getShape(result.getType()));
    plan.buffers[result] = buffer;
    blocks.results.push_back(buffer);
    blocks.sources.push_back(stageSource(op, source, buffer));
  }
  close();
}

/// Digits of a byte, unless counting so many would take longer than the row itself.
RadixPlan loops::getRadixPlan(SortOp op) {
  constexpr int64_t kShortRow = 64;
  RankedTensorType type = op.getSource().getType();
  unsigned bits = type.getElementTypeBitWidth();
  unsigned digit = type.getShape().back() <= kShortRow ? 4 : 8;
  return {digit, static_cast<unsigned>(llvm::divideCeil(bits, digit))};
}

/// The source is copied, because sorting overwrites it. Rows move to and fro
/// between it and a spare row; a result that is not shorter takes its place where
/// they come to rest there.
void GroupBuilder::visitSort(SortOp op) {
  CollectivePlan &blocks = plan.collectives[op];
  RankedTensorType source = op.getSource().getType();
  int64_t row = source.getShape().back();
  Builder builder(op.getContext());
  Type element = source.getElementType(), i32 = builder.getI32Type();
  RadixPlan radix = getRadixPlan(op);
  Buffer *keys = plan.createBuffer(element, source.getShape());
  addWrite(op.getSource(), keys, op);
  blocks.sources.push_back(keys);
  bool isInPlace =
      radix.passes % 2 == 0 && source.getShape() == op.getSorted().getType().getShape();
  blocks.results.push_back(
      isInPlace ? keys : plan.createBuffer(element, op.getSorted().getType().getShape()));
  plan.buffers[op.getSorted()] = blocks.results.front();
  blocks.temporaries.push_back(plan.createBuffer(i32, {radix.getNumDigits()}));
  blocks.temporaries.push_back(plan.createBuffer(element, {row}));
  if (Value places = op.getPlaces()) {
    blocks.results.push_back(plan.createBuffer(i32, getShape(places.getType())));
    plan.buffers[places] = blocks.results.back();
    blocks.temporaries.push_back(plan.createBuffer(i32, {row}));
    blocks.temporaries.push_back(plan.createBuffer(i32, {row}));
  }
  close();
}

void GroupBuilder::visitHistogram(HistogramOp op) {
  CollectivePlan &blocks = plan.collectives[op];
  blocks.sources.push_back(stageSource(op, op.getSource(), nullptr));
  if (Value mask = op.getMask())
    blocks.sources.push_back(stageSource(op, mask, nullptr));
  RankedTensorType counts = op.getCounts().getType();
  blocks.results.push_back(plan.createBuffer(counts.getElementType(), counts.getShape()));
  plan.buffers[op.getCounts()] = blocks.results.front();
  close();
}
