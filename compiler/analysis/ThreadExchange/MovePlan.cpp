//===- MovePlan.cpp - How threads move elements to other places -------------===//
#include "compiler/analysis/ThreadExchange/MovePlan.h"

#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/analysis/ThreadExchange/ThreadExchange.h"

using namespace mlir;
using namespace tile;

static const LinearLayout &getBlockLayout(Value block) {
  return getLayout(block.getType()).getLayout();
}

ElementSource tile::getElementSource(Operation *op, ArrayRef<int64_t> at) {
  ElementSource source{0, SmallVector<int64_t>(at)};
  if (auto cat = dyn_cast<CatOp>(op)) {
    int64_t &place = source.at[cat.getAxis()];
    int64_t size = getShape(cat.getFirst().getType())[cat.getAxis()];
    if (place >= size) {
      place -= size;
      source.operand = 1;
    }
    return source;
  }
  if (isa<ReshapeOp>(op)) {
    int64_t linear = 0;
    for (auto [place, size] : llvm::zip(at, getShape(op->getResult(0).getType())))
      linear = linear * size + place;
    ArrayRef<int64_t> shape = getShape(op->getOperand(0).getType());
    source.at.resize(shape.size());
    for (auto [place, size] : llvm::reverse(llvm::zip(source.at, shape))) {
      place = linear % size;
      linear /= size;
    }
    return source;
  }
  auto extract = cast<ExtractOp>(op);
  for (auto [place, offset, stride] :
       llvm::zip(source.at, extract.getOffsets(), extract.getStrides()))
    place = offset + place * stride;
  return source;
}

namespace {
/// Finds registers for the elements of one result.
class LocalMove {
public:
  explicit LocalMove(Operation *op) : op(op), result(getBlockLayout(op->getResult(0))) {}
  std::optional<SmallVector<int32_t>> run();

private:
  /// Where the element of register `reg` comes from; nothing for padding.
  std::optional<ElementSource> getSource(int64_t reg, int64_t lane, int64_t warp) const;
  /// The register that holds it in the first thread; -1: none does.
  int32_t findInFirstThread(const ElementSource &source) const;
  bool holdsEverywhere(int64_t reg, unsigned operand, int64_t candidate) const;
  bool isPaddingEverywhere(int64_t reg) const;

  Operation *op;
  const LinearLayout &result;
};
} // namespace

static SmallVector<int64_t> getPlace(const LinearLayout &layout, int64_t reg, int64_t lane,
                                     int64_t warp) {
  return layout.apply(
      {{Dim::Register, uint64_t(reg)}, {Dim::Lane, uint64_t(lane)}, {Dim::Warp, uint64_t(warp)}});
}

std::optional<ElementSource> LocalMove::getSource(int64_t reg, int64_t lane, int64_t warp) const {
  SmallVector<int64_t> at = getPlace(result, reg, lane, warp);
  for (auto [place, size] : llvm::zip(at, getShape(op->getResult(0).getType())))
    if (place >= size)
      return std::nullopt;
  return getElementSource(op, at);
}

int32_t LocalMove::findInFirstThread(const ElementSource &source) const {
  const LinearLayout &layout = getBlockLayout(op->getOperand(source.operand));
  for (int64_t reg = 0, end = layout.getInSize(Dim::Register); reg < end; ++reg)
    if (getPlace(layout, reg, 0, 0) == source.at)
      return reg;
  return -1;
}

bool LocalMove::holdsEverywhere(int64_t reg, unsigned operand, int64_t candidate) const {
  const LinearLayout &layout = getBlockLayout(op->getOperand(operand));
  for (int64_t warp = 0; warp < result.getInSize(Dim::Warp); ++warp)
    for (int64_t lane = 0; lane < result.getInSize(Dim::Lane); ++lane) {
      std::optional<ElementSource> source = getSource(reg, lane, warp);
      if (source &&
          (source->operand != operand || getPlace(layout, candidate, lane, warp) != source->at))
        return false;
    }
  return true;
}

bool LocalMove::isPaddingEverywhere(int64_t reg) const {
  for (int64_t warp = 0; warp < result.getInSize(Dim::Warp); ++warp)
    for (int64_t lane = 0; lane < result.getInSize(Dim::Lane); ++lane)
      if (getSource(reg, lane, warp))
        return false;
  return true;
}

std::optional<SmallVector<int32_t>> LocalMove::run() {
  SmallVector<int32_t> plan;
  for (int64_t reg = 0, end = result.getInSize(Dim::Register); reg < end; ++reg) {
    std::optional<ElementSource> source = getSource(reg, 0, 0);
    if (!source) {
      if (!isPaddingEverywhere(reg))
        return std::nullopt;
      plan.push_back(-1);
      continue;
    }
    int32_t found = findInFirstThread(*source);
    if (found < 0 || !holdsEverywhere(reg, source->operand, found))
      return std::nullopt;
    int64_t before =
        source->operand == 0 ? 0 : getBlockLayout(op->getOperand(0)).getInSize(Dim::Register);
    plan.push_back(before + found);
  }
  return plan;
}

std::optional<SmallVector<int32_t>> tile::planLocalMove(Operation *op) {
  return LocalMove(op).run();
}

SmallVector<int64_t> tile::getMoveShape(Operation *op) {
  if (isa<ReshapeOp>(op)) // numbered in the same way under both shapes
    return SmallVector<int64_t>(getShape(op->getResult(0).getType()));
  SmallVector<int64_t> shape = getBlockLayout(op->getOperand(0)).getShape();
  auto cat = dyn_cast<CatOp>(op);
  if (!cat)
    return shape;
  // The second block begins where the first one ends, not where its padding does.
  SmallVector<int64_t> second = getBlockLayout(cat.getSecond()).getShape();
  unsigned axis = cat.getAxis();
  int64_t begin = getShape(cat.getFirst().getType())[axis];
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    shape[dim] = std::max(shape[dim], second[dim] + (dim == axis ? begin : 0));
  return shape;
}

bool tile::movesElements(ReshapeOp op) { return !getOperandLayout(op, 0, getLayout(op.getType())); }

int64_t tile::getMoveBytes(Operation *op) {
  if (auto reshape = dyn_cast<ReshapeOp>(op); reshape && !movesElements(reshape))
    return 0;
  if (!isa<GatherOp>(op) && planLocalMove(op))
    return 0;
  int64_t elements = 1;
  for (int64_t size : getMoveShape(op))
    elements *= size;
  return elements * (getMemoryBits(getElementType(op->getResult(0).getType())) / 8);
}
