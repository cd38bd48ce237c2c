//===- PartialReduction.cpp - What a thread reduces by itself -------------===//
#include "compiler/transforms/DeferReductions/PartialReduction.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;

std::optional<PartialReduction> PartialReduction::get(ReduceOp op) {
  PartialReduction result(op);
  if (op.getSources().size() != 1 || !result.findRuns() || !result.findType())
    return std::nullopt;
  return result;
}

int64_t PartialReduction::getNumParts() const {
  int64_t parts = 1;
  for (Run run : runs)
    parts *= run.ofThreads ? run.size : 1;
  return parts;
}

/// Whether the index bit of `in` that moves by `size` along `axis` does that
/// alone; nothing if there is no such bit.
static std::optional<bool> findThreads(const LinearMap &tile, unsigned axis, uint64_t size) {
  std::optional<bool> ofThreads;
  for (DimBits in : tile.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      uint64_t moved = tile.getColumn(in.dim, bit, tensorDim(axis));
      if ((moved & size) == 0)
        continue;
      bool isAlone = moved == size && !ofThreads;
      for (unsigned dim = 0; dim < tile.getOuts().size(); ++dim)
        isAlone &= dim == axis || tile.getColumn(in.dim, bit, tensorDim(dim)) == 0;
      if (!isAlone)
        return std::nullopt;
      ofThreads = in.dim != Dim::Register;
    }
  return ofThreads;
}

bool PartialReduction::findRuns() {
  RankedTensorType source = cast<RankedTensorType>(op.getSources().front().getType());
  LayoutAttr attr = getLayout(source);
  int64_t size = source.getDimSize(op.getAxis());
  if (!attr || !llvm::isPowerOf2_64(size) || !attr.getLayout().isLinear() ||
      attr.getLayout().getDimSize(op.getAxis()) != size)
    return false;
  bool hasRegisters = false, hasThreads = false;
  for (int64_t bit = 1; bit < size; bit *= 2) {
    std::optional<bool> ofThreads = findThreads(attr.getLayout().getTile(), op.getAxis(), bit);
    if (!ofThreads)
      return false;
    (*ofThreads ? hasThreads : hasRegisters) = true;
    if (!runs.empty() && runs.front().ofThreads == *ofThreads)
      runs.front().size *= 2;
    else
      runs.insert(runs.begin(), Run{2, *ofThreads});
  }
  return hasRegisters && hasThreads;
}

SmallVector<int64_t> PartialReduction::getSplitShape() const {
  ArrayRef<int64_t> source = getShape(op.getSources().front().getType());
  SmallVector<int64_t> shape(source.take_front(op.getAxis()));
  for (Run run : runs)
    shape.push_back(run.size);
  llvm::append_range(shape, source.drop_front(op.getAxis() + 1));
  return shape;
}

static RankedTensorType withoutAxis(RankedTensorType type, unsigned axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  LinearLayout layout = getLayout(type).getLayout().sliced(axis).withoutRedundantRegisters();
  return RankedTensorType::get(shape, type.getElementType(),
                               LayoutAttr::get(type.getContext(), layout));
}

/// Fails where the parts, combined, would be held by other threads than the result.
bool PartialReduction::findType() {
  auto source = cast<RankedTensorType>(op.getSources().front().getType());
  std::optional<LinearLayout> layout = getLayout(source).getLayout().reshaped(getSplitShape());
  if (!layout)
    return false;
  type = RankedTensorType::get(getSplitShape(), source.getElementType(),
                               LayoutAttr::get(op.getContext(), *layout));
  for (unsigned i = runs.size(); i-- > 0;)
    if (!runs[i].ofThreads)
      type = withoutAxis(type, op.getAxis() + i);
  RankedTensorType combined = type;
  for (int64_t i = type.getRank() - source.getRank(); i >= 0; --i) {
    if (combined.getRank() == 1)
      return !isa<RankedTensorType>(op.getReduced().front().getType());
    combined = withoutAxis(combined, op.getAxis() + i);
  }
  return combined == op.getReduced().front().getType();
}

Value PartialReduction::reduce(ImplicitLocOpBuilder &b, Value block, unsigned axis) const {
  auto source = cast<RankedTensorType>(block.getType());
  Type result = source.getRank() == 1 ? source.getElementType() : Type(withoutAxis(source, axis));
  auto step = ReduceOp::create(b, TypeRange(result), ValueRange(block), axis);
  IRMapping mapping;
  op.getCombiner().cloneInto(&step.getCombiner(), mapping);
  return step.getReduced().front();
}

Value PartialReduction::createParts(ImplicitLocOpBuilder &b) const {
  Value block = op.getSources().front();
  auto source = cast<RankedTensorType>(block.getType());
  LinearLayout layout = *getLayout(source).getLayout().reshaped(getSplitShape());
  auto split = RankedTensorType::get(getSplitShape(), source.getElementType(),
                                     LayoutAttr::get(b.getContext(), layout));
  block = ReshapeOp::create(b, split, block);
  for (unsigned i = runs.size(); i-- > 0;)
    if (!runs[i].ofThreads)
      block = reduce(b, block, op.getAxis() + i);
  return block;
}

Value PartialReduction::combineParts(ImplicitLocOpBuilder &b, Value parts) const {
  int64_t more =
      type.getRank() - cast<RankedTensorType>(op.getSources().front().getType()).getRank();
  for (int64_t i = more; i >= 0; --i)
    parts = reduce(b, parts, op.getAxis() + i);
  return parts;
}

Value PartialReduction::spread(ImplicitLocOpBuilder &b, Value value) const {
  auto block = dyn_cast<RankedTensorType>(value.getType());
  if (!block)
    return SplatOp::create(b, type, value);
  // From the inside out: the layouts that broadcasts want of their sources.
  int64_t added = type.getRank() - block.getRank();
  SmallVector<int64_t> shape(type.getShape());
  LinearLayout layout = getLayout(type).getLayout();
  for (int64_t i = 0; i < added; ++i) {
    shape[op.getAxis() + i] = 1;
    layout = layout.collapsed(op.getAxis() + i);
  }
  layout = layout.withoutRedundantRegisters();
  SmallVector<RankedTensorType> steps;
  for (int64_t i = 0; i < added; ++i) {
    steps.push_back(RankedTensorType::get(shape, block.getElementType(),
                                          LayoutAttr::get(b.getContext(), layout)));
    shape.erase(shape.begin() + op.getAxis());
    layout = layout.squeezed(op.getAxis()).withoutRedundantRegisters();
  }
  for (RankedTensorType step : llvm::reverse(steps))
    value = ExpandDimsOp::create(b, step, value, op.getAxis());
  return BroadcastOp::create(b, withElementType(type, block.getElementType()), value);
}
