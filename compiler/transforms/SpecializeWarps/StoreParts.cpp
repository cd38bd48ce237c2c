//===- StoreParts.cpp - Blocks that warps store by themselves ---------------===//
//
// A thread waits for its own stores where they may meet (StoreOrder.h), not for those of
// other warps: blocks that one program stores must not meet in parts of different warps, or
// warps take turns (StoreTurns.h).
//
//===----------------------------------------------------------------------===//
#include "compiler/transforms/SpecializeWarps/StoreParts.h"

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/transforms/SpecializeWarps/StoreTurns.h"

using namespace mlir;
using namespace tile;

LayoutAttr tile::getStoredLayout(Operation *store) {
  auto plain = dyn_cast<DescriptorStoreOp>(store);
  Value value = plain ? plain.getValue() : cast<DescriptorReduceOp>(store).getValue();
  return getLayout(value.getType());
}

BlockCopyBox tile::getAccessBox(Operation *access, bool byWarps) {
  BufferType buffer = getBlockCopyBuffer(access);
  if (byWarps && !isa<DescriptorLoadOp>(access))
    return getBlockCopyPart(access, buffer, getStoredLayout(access).getLayout())->box;
  return *getBlockCopyBox(access, buffer);
}

namespace {
/// A store, and the parts that warps have of its block.
struct PartedStore : BlockStore {
  BufferType buffer;
  BlockCopyPart part;

  /// Whether two blocks are at one place or apart, where warps are side by side.
  bool isAlignedForWarps(const AccessAnalysis &patterns) const {
    return llvm::all_of(part.warps, [&](const BlockCopyPart::Digit &digit) {
      return llvm::all_of(llvm::enumerate(digit.step.indices), [&](auto step) {
        return step.value() == 0 || isAligned(step.index(), patterns);
      });
    });
  }
};
} // namespace

/// Whether warps have the same parts of all blocks that meet, or take turns: then `inTurns` gets
/// those that do.
static bool canOrder(func::FuncOp function, ArrayRef<PartedStore> stores,
                     DenseSet<Operation *> &inTurns) {
  std::optional<AccessAnalysis> patterns; // only where blocks meet
  for (auto [i, store] : llvm::enumerate(stores))
    for (const PartedStore &other : stores.drop_front(i)) {
      bool isSame = store.op == other.op;
      if (isSame ? !store.isRepeated() : !store.maySharePlaces(other))
        continue;
      if (!patterns)
        patterns.emplace(function);
      bool areAligned = store.buffer == other.buffer && store.getDesc() == other.getDesc() &&
                        store.isDescribedOnce() && store.isAlignedForWarps(*patterns) &&
                        other.isAlignedForWarps(*patterns);
      if (areAligned)
        continue;
      if (!isSame || !canTakeTurns(store))
        return false;
      inTurns.insert(store.op);
    }
  return true;
}

/// Whether it is in the code that multiplies: then copies of few large boxes are better,
/// which leave the copy unit to the operands.
static bool isAmongProducts(Operation *store) {
  return llvm::any_of(*store->getBlock(), llvm::IsaPred<DotOp>);
}

/// Stores of one type share a buffer, where the parts of warps have to be the same.
StorePlan tile::planStores(func::FuncOp function) {
  DenseMap<Type, LayoutAttr> layouts;
  SmallVector<PartedStore> stores;
  for (Operation *op : collectStores(function)) {
    BufferType buffer = getBlockCopyBuffer(op);
    LayoutAttr layout = getStoredLayout(op);
    if (!layout || isAmongProducts(op) ||
        layouts.try_emplace(buffer, layout).first->second != layout)
      return {};
    std::optional<BlockCopyPart> part = getBlockCopyPart(op, buffer, layout.getLayout());
    if (!part)
      return {};
    stores.push_back({{op}, buffer, *part});
  }
  StorePlan plan;
  plan.byWarps = !stores.empty() && canOrder(function, stores, plan.inTurns);
  return plan;
}
