//===- StoreOrder.cpp - Blocks that one program stores to one place ---------===//
#include "compiler/transforms/SpecializeWarps/StoreOrder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tile;

SmallVector<Operation *> tile::collectStores(Operation *root) {
  SmallVector<Operation *> stores;
  root->walk([&](Operation *op) {
    if (isa<DescriptorStoreOp, DescriptorReduceOp>(op) && op->hasAttr(kBlockCopyAttr))
      stores.push_back(op);
  });
  return stores;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// An index as a value and a constant; no value where all is constant.
static std::pair<Value, int64_t> splitConstant(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return {Value(), *constant};
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> constant = getConstantIntValue(sum.getRhs()))
      return {sum.getLhs(), *constant};
  return {index, 0};
}

/// Whether two stores of one iteration are side by side.
static bool areApart(const BlockStore &first, const BlockStore &second) {
  if (!first.maySharePlaces(second))
    return true;
  if (first.getDesc() != second.getDesc())
    return false;
  return llvm::any_of(llvm::zip(first.getIndices(), second.getIndices(), first.getBlockShape()),
                      [](auto place) {
                        auto [one, other, size] = place;
                        auto [base, begin] = splitConstant(one);
                        auto [otherBase, otherBegin] = splitConstant(other);
                        return base == otherBase && std::abs(begin - otherBegin) >= size;
                      });
}

/// Whether `first` may store to a place of `second` before that does: `isBefore` says
/// whether the program comes by it before, in each iteration of loops around both.
static bool mayMeet(const BlockStore &first, const BlockStore &second, bool isBefore) {
  if (isa<DescriptorReduceOp>(first.op) && isa<DescriptorReduceOp>(second.op))
    return false;
  if (first.op == second.op)
    return first.isRepeated() && !first.movesOn();
  bool isRepeated =
      llvm::any_of(first.getLoops(), [&](Operation *loop) { return loop->isAncestor(second.op); });
  return isRepeated ? first.maySharePlaces(second) : isBefore && !areApart(first, second);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether an earlier one of `later` in the same block of code has waited for all that
/// `store` may meet: none of those since are at its places.
static bool hasWaited(const BlockStore &store, const DenseSet<Operation *> &later) {
  for (Operation *op = store.op->getPrevNode(); op; op = op->getPrevNode()) {
    SmallVector<Operation *> inside = collectStores(op);
    if (inside.empty())
      continue;
    if (inside.front() != op || !areApart({op}, store))
      return false;
    if (later.contains(op))
      return true;
  }
  return false;
}

DenseSet<Operation *> tile::findLaterStores(ArrayRef<Operation *> stores) {
  DenseSet<Operation *> later;
  for (auto [place, op] : llvm::enumerate(stores)) {
    BlockStore store{op};
    bool meets = false;
    for (auto [otherPlace, other] : llvm::enumerate(stores))
      meets |= mayMeet({other}, store, /*isBefore=*/otherPlace < place);
    if (meets && !hasWaited(store, later))
      later.insert(op);
  }
  return later;
}
