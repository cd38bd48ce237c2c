//===- BufferPlan.cpp - Where buffers lie in on-chip memory ---------------===//
#include "compiler/analysis/BufferPlan/BufferPlan.h"

#include "compiler/analysis/ThreadExchange/ThreadExchange.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;

/// Swizzles count on bank lines, copies on 16 bytes; in large buffers on eight lines.
static int64_t getAlignment(int64_t bytes) { return bytes >= 1024 ? 1024 : 128; }

/// Of one signal.
static constexpr int64_t kSignalBytes = 8;

/// The role that `op` belongs to; null: all of the program.
static Region *getRole(Operation *op) {
  auto roles = op->getParentOfType<RolesOp>();
  return roles ? &roles.getBodies()[roles.getRoleOf(op)] : nullptr;
}

int64_t tile::getOnChipBytes(Operation *op) {
  return getTarget(op).getFact("on_chip_bytes", 48 * 1024);
}

int64_t tile::countFittingPrograms(Operation *op, int64_t bytes) {
  constexpr int64_t kReservedBytes = 1024;
  return (getOnChipBytes(op) + kReservedBytes) / (bytes + kReservedBytes);
}

ConversionPlan tile::planLayoutConversion(ConvertLayoutOp op) {
  return planConversion(getLayout(op.getSource().getType()).getLayout(),
                        getLayout(op.getType()).getLayout(), getShape(op.getType()),
                        getConversionFacts(getTarget(op), getElementType(op.getType())));
}

int64_t tile::getScratchBytes(Operation *op) {
  auto lacksLayout = [](Type type) { return isa<RankedTensorType>(type) && !getLayout(type); };
  if (llvm::any_of(op->getOperandTypes(), lacksLayout) ||
      llvm::any_of(op->getResultTypes(), lacksLayout))
    return 0;
  return getExchangeBytes(op);
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

BufferAliases::BufferAliases(Operation *root) {
  root->walk([&](BufferAllocOp op) { follow(op.getBuffer(), op); });
}

/// Values that are what `use` passes on.
static SmallVector<Value, 2> getPassedOn(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned index = use.getOperandNumber();
  if (isa<BufferViewOp, BufferTransposeOp, AsyncCopyOp>(op))
    return {op->getResult(0)};
  if (isa<CommitOp, AwaitOp>(op))
    return {op->getResult(index)};
  if (auto acquire = dyn_cast<AcquireOp>(op))
    return {acquire.getViews()[index - acquire.getStacks().getBeginOperandIndex()]};
  // What products in flight read is in use until they are complete.
  if (isa<AsyncDotOp>(op))
    return {op->getResult(0)};
  if (isa<AwaitDotsOp>(op))
    return isa<PendingType>(op->getResult(index).getType())
               ? SmallVector<Value, 2>{op->getResult(index)}
               : SmallVector<Value, 2>{};
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    SmallVector<Value, 2> passed;
    if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use))
      passed.push_back(argument);
    if (OpResult result = loop.getTiedLoopResult(&use))
      passed.push_back(result);
    return passed;
  }
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    return {loop.getAfterArguments()[index - 1], loop.getResult(index - 1)};
  }
  if (!isa<scf::YieldOp>(op))
    return {};
  if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
    return {loop.getRegionIterArg(index), loop.getResult(index)};
  if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
    return {loop.getBeforeArguments()[index]};
  return {op->getParentOp()->getResult(index)};
}

void BufferAliases::follow(Value value, BufferAllocOp alloc) {
  Allocs &known = allocs[value];
  if (llvm::is_contained(known, alloc))
    return;
  known.push_back(alloc);
  for (OpOperand &use : value.getUses())
    for (Value passed : getPassedOn(use))
      follow(passed, alloc);
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

BufferPlan::BufferPlan(func::FuncOp function) {
  number(function);
  collect(function);
  place();
}

void BufferPlan::number(func::FuncOp function) {
  unsigned count = 0;
  function.walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      spans[op].first = count++;
    if (stage.isAfterAllRegions())
      spans[op].second = count++;
  });
}

/// A use in a loop that the buffer outlives lasts for all of the loop.
void BufferPlan::extend(Entry &entry, Operation *user) const {
  Operation *outermost = user;
  for (Operation *parent = user->getParentOp(); parent && !parent->isAncestor(entry.op);
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface, RolesOp>(parent))
      outermost = parent;
  auto [begin, end] = spans.lookup(outermost);
  entry.begin = std::min(entry.begin, begin);
  entry.end = std::max(entry.end, end);
}

/// Stores of blocks read until they are awaited.
void BufferPlan::extendStored(Entry &entry, BlockStoreOp store,
                              ArrayRef<AwaitBlockStoresOp> awaits) const {
  unsigned begin = spans.lookup(store).first;
  for (AwaitBlockStoresOp await : awaits)
    if (await.getInFlight() == 0 && spans.lookup(await).first > begin &&
        await->getParentOp()->isAncestor(store))
      return extend(entry, await);
  entry.end = ~0u;
}

/// The first small reductions get memory that nothing else uses: threads need
/// not meet before them. Nor do copies that other threads start know what threads have
/// written before their roles began.
void BufferPlan::setApart(Entry &entry) {
  int64_t bytes = llvm::alignTo(entry.bytes, getAlignment(entry.bytes));
  bool fits = isa<ReduceOp>(entry.op) && apartBytes + bytes <= kMostApartBytes;
  if (!fits && !isa<DescriptorAllocOp>(entry.op))
    return;
  apartBytes += fits ? bytes : 0;
  std::tie(entry.begin, entry.end) = std::pair(0u, ~0u);
}

void BufferPlan::collect(func::FuncOp function) {
  SmallVector<AwaitBlockStoresOp> awaits;
  function.walk([&](AwaitBlockStoresOp op) { awaits.push_back(op); });
  DenseMap<Operation *, unsigned> indices;
  function.walk([&](Operation *op) {
    auto [begin, end] = spans.lookup(op);
    if (auto alloc = dyn_cast<BufferAllocOp>(op)) {
      indices[op] = entries.size();
      entries.push_back({op, alloc.getType().getBytes(), ~0u, 0, getRole(op)});
    } else if (auto signals = dyn_cast<SignalAllocOp>(op)) {
      // Threads that are ahead may arrive at any time.
      entries.push_back({op, kSignalBytes * signals.getType().getCount(), 0, ~0u, nullptr});
    } else if (int64_t scratch = getScratchBytes(op)) {
      entries.push_back({op, scratch, begin, end, getRole(op)});
      setApart(entries.back());
    }
  });
  BufferAliases aliases(function);
  for (auto &[value, allocs] : aliases.getAll())
    for (BufferAllocOp alloc : allocs)
      for (Operation *user : value.getUsers()) {
        if (isa<BufferViewOp, BufferTransposeOp>(user))
          continue; // no use: those of what it gives are
        extend(entries[indices[alloc]], user);
        if (auto store = dyn_cast<BlockStoreOp>(user))
          extendStored(entries[indices[alloc]], store, awaits);
      }
}

/// Roles are at work at the same time.
static bool areInUseTogether(const BufferPlan::Entry &a, const BufferPlan::Entry &b) {
  bool inOtherRoles = a.role && b.role && a.role != b.role;
  return inOtherRoles || (a.begin <= b.end && b.begin <= a.end);
}

/// The largest first, each as low as those in use at the same time allow.
void BufferPlan::place() {
  SmallVector<Entry *> order = llvm::map_to_vector(entries, [](Entry &entry) { return &entry; });
  llvm::stable_sort(order, [](Entry *a, Entry *b) { return a->bytes > b->bytes; });
  SmallVector<Entry *> placed; // by offset
  for (Entry *entry : order) {
    if (entry->begin > entry->end)
      continue; // never used
    int64_t offset = 0;
    for (Entry *other : placed) {
      if (areInUseTogether(*entry, *other) && offset < other->offset + other->bytes &&
          other->offset < offset + entry->bytes)
        offset = llvm::alignTo(other->offset + other->bytes, getAlignment(entry->bytes));
    }
    entry->offset = offset;
    bytes = std::max(bytes, offset + entry->bytes);
    placed.insert(
        llvm::upper_bound(placed, entry, [](Entry *a, Entry *b) { return a->offset < b->offset; }),
        entry);
  }
}
