//===- StoreOrder.cpp - Blocks that one program stores to one place ---------===//
#include "compiler/transforms/SpecializeWarps/StoreOrder.h"

#include "compiler/analysis/PointerBase/PointerBase.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

SmallVector<Operation *> tile::collectStores(Operation *root) {
  SmallVector<Operation *> stores;
  root->walk([&](Operation *op) {
    if (isa<DescriptorStoreOp, DescriptorReduceOp>(op) && op->hasAttr(kBlockCopyAttr))
      stores.push_back(op);
  });
  return stores;
}

/// The loops around a store in which one program goes, from the inside out.
static SmallVector<Operation *> getLoops(Operation *store) {
  SmallVector<Operation *> loops;
  for (Operation *loop = store->getParentOp(); loop; loop = loop->getParentOp())
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

bool BlockStore::isRepeated() const { return !getLoops(op).empty(); }

bool BlockStore::isDescribedOnce() const {
  return !isRepeated() || isFixed(getDesc(), getLoops(op).back());
}

bool BlockStore::maySharePlaces(const BlockStore &other) const {
  Value first = getArray(), second = other.getArray();
  return !first || !second || first == second;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) ? std::optional(constant.getSExtValue())
                                                       : std::nullopt;
}

/// By how much `index` grows from one iteration of `loop` to the next, where nothing
/// else in `outermost` changes it.
static std::optional<int64_t> getAdvance(Value index, scf::ForOp loop, Operation *outermost) {
  if (index == loop.getInductionVar())
    return getConstant(loop.getStep());
  if (auto sum = index.getDefiningOp<arith::AddIOp>()) {
    if (isFixed(sum.getRhs(), outermost))
      return getAdvance(sum.getLhs(), loop, outermost);
    return isFixed(sum.getLhs(), outermost) ? getAdvance(sum.getRhs(), loop, outermost)
                                            : std::nullopt;
  }
  auto product = index.getDefiningOp<arith::MulIOp>();
  std::optional<int64_t> factor = product ? getConstant(product.getRhs()) : std::nullopt;
  std::optional<int64_t> advance =
      factor ? getAdvance(product.getLhs(), loop, outermost) : std::nullopt;
  return advance ? std::optional(*advance * *factor) : std::nullopt;
}

/// Whether each iteration of the loops around it stores to another place of one array.
static bool movesOn(const BlockStore &store) {
  SmallVector<Operation *> loops = getLoops(store.op);
  return store.isDescribedOnce() && llvm::all_of(loops, [&](Operation *around) {
           auto loop = dyn_cast<scf::ForOp>(around);
           return loop && llvm::any_of(llvm::zip(store.getIndices(), store.getBlockShape()),
                                       [&](auto indexAndSize) {
                                         auto [index, size] = indexAndSize;
                                         auto advance = getAdvance(index, loop, loops.back());
                                         return advance && std::abs(*advance) >= size;
                                       });
         });
}

/// An index as a value and a constant; no value where all is constant.
static std::pair<Value, int64_t> splitConstant(Value index) {
  if (std::optional<int64_t> constant = getConstant(index))
    return {Value(), *constant};
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> constant = getConstant(sum.getRhs()))
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
    return first.isRepeated() && !movesOn(first);
  bool isRepeated = llvm::any_of(getLoops(first.op),
                                 [&](Operation *loop) { return loop->isAncestor(second.op); });
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
