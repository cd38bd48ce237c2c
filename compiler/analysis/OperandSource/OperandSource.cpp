//===- OperandSource.cpp - Where a dot's operand comes from ---------------===//
#include "compiler/analysis/OperandSource/OperandSource.h"

#include "compiler/analysis/LayoutInference/LayoutInference.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tile;

bool OperandSource::isAsBlock() const {
  return llvm::equal(order, llvm::seq<int32_t>(0, getShape(block.getType()).size()));
}

unsigned OperandSource::getOperandDim(unsigned dim) const {
  return llvm::find(order, static_cast<int32_t>(dim)) - order.begin();
}

LinearLayout OperandSource::getBlockLayout(const LinearLayout &layout) const {
  SmallVector<int32_t> kept(order);
  llvm::sort(kept);
  LinearLayout result =
      layout.transposed(llvm::map_to_vector(kept, [&](int32_t dim) { return getOperandDim(dim); }));
  for (unsigned dim = 0, rank = getShape(block.getType()).size(); dim < rank; ++dim)
    if (!llvm::is_contained(kept, dim))
      result = result.expanded(dim);
  return result;
}

/// For each dimension of a reshape's result that of its source; nothing if it does not only drop
/// dimensions of size 1, or the last one.
static std::optional<SmallVector<int32_t>> getKeptDims(ReshapeOp reshape) {
  ArrayRef<int64_t> source = getShape(reshape.getSource().getType());
  ArrayRef<int64_t> result = getShape(reshape.getType());
  SmallVector<int32_t> kept;
  for (auto [dim, size] : llvm::enumerate(source))
    if (size != 1)
      kept.push_back(static_cast<int32_t>(dim));
  bool onlyDrops =
      source.back() != 1 && kept.size() == result.size() &&
      llvm::equal(kept, result, [&](int32_t dim, int64_t size) { return source[dim] == size; });
  return onlyDrops ? std::optional(kept) : std::nullopt;
}

bool tile::isViewOfBlock(Operation *op) {
  auto reshape = dyn_cast<ReshapeOp>(op);
  return isa<ConvertLayoutOp, TransposeOp>(op) || (reshape && getKeptDims(reshape));
}

OperandSource tile::traceOperand(Value operand) {
  OperandSource source{operand, {}};
  for (size_t dim = 0, rank = getShape(operand.getType()).size(); dim < rank; ++dim)
    source.order.push_back(dim);
  while (Operation *op = source.block.getDefiningOp()) {
    if (!isViewOfBlock(op))
      break;
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      for (int32_t &dim : source.order)
        dim = transpose.getOrder()[dim];
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      SmallVector<int32_t> kept = *getKeptDims(reshape);
      for (int32_t &dim : source.order)
        dim = kept[dim];
    }
    source.block = op->getOperand(0);
  }
  return source;
}

bool tile::isReadOnChip(DotOp dot, MatmulOperand operand) {
  MatmulUnit unit = dot.getUnitAttr();
  if (!unit || !unit.readsOnChip())
    return false;
  if (operand == MatmulOperand::B)
    return true;
  Value source = traceOperand(dot.getA()).block;
  return isa_and_nonnull<LoadOp, BufferLoadOp>(source.getDefiningOp());
}

bool tile::canReadIn(DotOp dot, MatmulOperand operand, const OperandSource &source,
                     BufferType buffer) {
  BufferType wanted = source.isAsBlock() ? buffer : getTransposedBuffer(buffer, source.order);
  unsigned bits = wanted.getElementBytes() * 8;
  return llvm::any_of(ArrayRef<unsigned>{0, 1}, [&](unsigned fastest) {
    std::optional<LinearLayout> layout =
        dot.getUnitAttr().getOnChipLayout(operand, wanted.getShape(), bits, fastest);
    return layout && *layout == wanted.getLayout().getLayout();
  });
}

/// The dot that multiplies what `block` becomes, in its block of code, by ops that pass it on.
static std::pair<DotOp, MatmulOperand> findDot(Value block,
                                               function_ref<bool(Operation *)> passesOn) {
  SetVector<Value> reached; // each once: paths may be very many
  reached.insert(block);
  for (size_t i = 0; i < reached.size(); ++i)
    for (OpOperand &use : reached[i].getUses()) {
      Operation *op = use.getOwner();
      if (op->getBlock() != block.getParentBlock())
        continue;
      if (auto dot = dyn_cast<DotOp>(op)) {
        if (use.getOperandNumber() < 2)
          return {dot, use.getOperandNumber() == 0 ? MatmulOperand::A : MatmulOperand::B};
        continue;
      }
      if (!isa<LoadOp>(op) && passesOn(op))
        reached.insert_range(op->getResults());
    }
  return {};
}

std::pair<DotOp, MatmulOperand> tile::findFedDot(Value block) {
  return findDot(block, [](Operation *op) {
    return op->getNumResults() == 1 && (isa<ConvertLayoutOp, TransposeOp, ReshapeOp>(op) ||
                                        getLayoutTie(op) == LayoutTie::Same);
  });
}

bool tile::becomesOperand(Value block) {
  auto passesOn = [](Operation *op) {
    LayoutTie tie = getLayoutTie(op);
    return isa<ConvertLayoutOp>(op) ||
           ((tie == LayoutTie::Same || tie == LayoutTie::Shape) && !isa<ScanOp, BroadcastOp>(op));
  };
  return bool(findDot(block, passesOn).first);
}

bool tile::isMultiplied(Value value) {
  SmallVector<Value> worklist{value};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    for (OpOperand &use : next.getUses()) {
      Operation *op = use.getOwner();
      if (isa<DotOp>(op) && use.getOperandNumber() < 2)
        return true;
      bool passesOn = op->getNumRegions() == 0 && op->getNumResults() == 1 &&
                      op->getBlock() == value.getParentBlock() && !isa<DotOp>(op);
      if (passesOn && seen.insert(op->getResult(0)).second)
        worklist.push_back(op->getResult(0));
    }
  }
  return false;
}

unsigned tile::getFastestDim(const LinearLayout &layout, int64_t limit) {
  unsigned best = layout.getRank() - 1;
  for (unsigned dim = layout.getRank(); dim-- > 0;)
    if (layout.getContiguity(dim, limit) > layout.getContiguity(best, limit))
      best = dim;
  return best;
}
