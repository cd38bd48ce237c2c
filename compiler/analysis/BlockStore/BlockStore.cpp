//===- BlockStore.cpp - Where a program stores blocks by descriptors --------===//
#include "compiler/analysis/BlockStore/BlockStore.h"

#include "compiler/analysis/PointerBase/PointerBase.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tile;

SmallVector<Operation *> BlockStore::getLoops() const {
  SmallVector<Operation *> loops;
  for (Operation *loop = op->getParentOp(); loop; loop = loop->getParentOp())
    if (isa<LoopLikeOpInterface>(loop) && !loop->hasAttr(kProgramLoopAttr))
      loops.push_back(loop);
  return loops;
}

static bool isFixed(Value value, Operation *loop) {
  return !loop->isAncestor(value.getParentBlock()->getParentOp());
}

Value BlockStore::getArray() const {
  auto made = getDesc().getDefiningOp<MakeDescriptorOp>();
  return made ? getPointerBase(made.getBase()) : Value();
}

ValueRange BlockStore::getIndices() const {
  auto plain = dyn_cast<DescriptorStoreOp>(op);
  return plain ? plain.getIndices() : cast<DescriptorReduceOp>(op).getIndices();
}

ArrayRef<int64_t> BlockStore::getBlockShape() const {
  return cast<DescType>(getDesc().getType()).getShape();
}

bool BlockStore::isRepeated() const { return !getLoops().empty(); }

bool BlockStore::isDescribedOnce() const {
  return !isRepeated() || isFixed(getDesc(), getLoops().back());
}

bool BlockStore::maySharePlaces(const BlockStore &other) const {
  Value first = getArray(), second = other.getArray();
  return !first || !second || first == second;
}

/// By how much `index` grows from one iteration of `loop` to the next, where nothing
/// else in `outermost` changes it.
static std::optional<int64_t> getAdvance(Value index, scf::ForOp loop, Operation *outermost) {
  if (index == loop.getInductionVar())
    return getConstantIntValue(loop.getStep());
  if (auto sum = index.getDefiningOp<arith::AddIOp>()) {
    if (isFixed(sum.getRhs(), outermost))
      return getAdvance(sum.getLhs(), loop, outermost);
    return isFixed(sum.getLhs(), outermost) ? getAdvance(sum.getRhs(), loop, outermost)
                                            : std::nullopt;
  }
  auto product = index.getDefiningOp<arith::MulIOp>();
  std::optional<int64_t> factor = product ? getConstantIntValue(product.getRhs()) : std::nullopt;
  std::optional<int64_t> advance =
      factor ? getAdvance(product.getLhs(), loop, outermost) : std::nullopt;
  return advance ? std::optional(*advance * *factor) : std::nullopt;
}

bool BlockStore::movesOn() const {
  SmallVector<Operation *> loops = getLoops();
  return isDescribedOnce() && llvm::all_of(loops, [&](Operation *around) {
           auto loop = dyn_cast<scf::ForOp>(around);
           return loop &&
                  llvm::any_of(llvm::zip(getIndices(), getBlockShape()), [&](auto indexAndSize) {
                    auto [index, size] = indexAndSize;
                    auto advance = getAdvance(index, loop, loops.back());
                    return advance && std::abs(*advance) >= size;
                  });
         });
}

bool BlockStore::staysAt(unsigned dim) const {
  return !isRepeated() || isFixed(getIndices()[dim], getLoops().back());
}

bool BlockStore::isAligned(unsigned dim, const AccessAnalysis &patterns) const {
  return patterns.get(getIndices()[dim]).divisibility.front() % getBlockShape()[dim] == 0;
}
