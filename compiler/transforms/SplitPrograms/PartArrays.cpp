//===- PartArrays.cpp - Arrays that thread blocks would have to agree on --===//
#include "compiler/transforms/SplitPrograms/PartPlan.h"

#include "compiler/analysis/BlockStore/BlockStore.h"
#include "compiler/analysis/PointerBase/PointerBase.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

namespace {
/// An access to global memory: which argument's array (null: unknown), by which very
/// pointers (null: by a descriptor), and how it is split.
struct ArrayAccess {
  Operation *op;
  Value base, pointer;
  Split split;
  bool reads, writes;
};
} // namespace

/// The pointers of an access; null where nobody knows its descriptor.
static Value getPointer(Operation *access) {
  Value place = access->getOperand(0);
  if (auto desc = place.getDefiningOp<MakeDescriptorOp>())
    return desc.getBase();
  return isa<DescType>(place.getType()) ? Value() : place;
}

/// One for each form in which the op is done.
static void collect(Operation *op, const PartPlan &plan, SmallVectorImpl<ArrayAccess> &accesses) {
  bool isRead = isa<LoadOp, DescriptorLoadOp, DescriptorGatherOp>(op);
  bool isWritten = isa<StoreOp, DescriptorStoreOp, DescriptorScatterOp>(op);
  bool isCombined = isa<DescriptorReduceOp>(op) || getAtomicAccess(op);
  if (!isRead && !isWritten && !isCombined)
    return;
  Value place = getPointer(op), base = place ? getPointerBase(place) : Value();
  if (isRead && place && isReadOnly(place)) // nobody writes there
    return;
  bool byDescriptor = op->getNumOperands() != 0 && isa<DescType>(op->getOperand(0).getType());
  auto add = [&](Value pointer, Split split, bool reads, bool writes) {
    accesses.push_back({op, base, pointer, split, reads, writes});
  };
  if (isRead)
    for (Split split : plan.getNeeded(op))
      add(byDescriptor ? Value() : op->getOperand(0), split, true, false);
  if (isWritten)
    add(byDescriptor ? Value() : op->getOperand(0), plan.getEffectSplit(op), false, true);
  if (isCombined)
    add(Value(), plan.getEffectSplit(op), true, true);
}

/// Whether a loop may come back with other pointers.
static bool isOfLoop(Value pointer) {
  return !isa<func::FuncOp>(pointer.getParentBlock()->getParentOp());
}

/// Whether a thread block's parts of two accesses lie at the same places of the dimension
/// that is split.
static bool haveSamePlaces(Operation *first, Operation *second, Split split) {
  if (first->getOperand(0) != second->getOperand(0))
    return false;
  if (!isa<DescType>(first->getOperand(0).getType()))
    return true;
  auto getIndex = [&](Operation *op) {
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case<DescriptorStoreOp, DescriptorReduceOp>(
            [&](auto access) { return access.getIndices()[split]; })
        .Default([](Operation *) { return Value(); });
  };
  return getIndex(first) && getIndex(first) == getIndex(second);
}

/// Whether what one thread block writes another may write. Combining has no order, and of
/// two branches all thread blocks take the same one.
static bool mayMeetWriting(const ArrayAccess &first, const ArrayAccess &second) {
  if (first.split != second.split)
    return true;
  bool areCombined = first.reads && second.reads;
  return first.split != kWhole && !areCombined &&
         !insideMutuallyExclusiveRegions(first.op, second.op) &&
         !haveSamePlaces(first.op, second.op, first.split);
}

/// Whether what one thread block writes another may read or write.
static bool mayMeet(const ArrayAccess &first, const ArrayAccess &second) {
  if ((!first.writes && !second.writes) || (first.base != second.base && first.base && second.base))
    return false;
  if (first.writes && second.writes)
    return mayMeetWriting(first, second);
  bool isOwn = first.split != kWhole && first.split == second.split && first.pointer &&
               first.pointer == second.pointer && !isOfLoop(first.pointer);
  return !isOwn;
}

/// Whether a store in a loop may write where another thread block has in an earlier iteration:
/// the dimension that is split does not tell that their parts are apart.
static bool mayMeetItself(const ArrayAccess &access, const AccessAnalysis &patterns) {
  BlockStore store{access.op};
  if (!isa<DescriptorStoreOp>(access.op) || access.split == kWhole || !store.isRepeated() ||
      store.movesOn())
    return false;
  return !store.isDescribedOnce() ||
         (!store.staysAt(access.split) && !store.isAligned(access.split, patterns));
}

std::optional<PartRefusal> tile::checkArrays(func::FuncOp function, const PartPlan &plan) {
  SmallVector<ArrayAccess> accesses;
  function.walk([&](Operation *op) { collect(op, plan, accesses); });
  AccessAnalysis patterns(function);
  for (auto [i, access] : llvm::enumerate(accesses)) {
    if (mayMeetItself(access, patterns))
      return PartRefusal{access.op, "what one of them stores another may store over in a later "
                                    "iteration, and they do not wait for each other; they do not "
                                    "meet where the block's index is a multiple of its side "
                                    "(tl.multiple_of says so)"};
    std::optional<AtomicAccess> atomic = getAtomicAccess(access.op);
    for (const ArrayAccess &other : accesses) {
      if (other.op == access.op)
        continue;
      if (atomic && atomic->releases() && other.writes)
        return PartRefusal{access.op,
                           "what the others have written is not ordered before it (sem='relaxed' "
                           "does not ask for that)",
                           other.op};
    }
    for (const ArrayAccess &other : ArrayRef(accesses).take_front(i))
      if (mayMeet(access, other))
        return PartRefusal{access.op,
                           "what one of them writes another may access, and they do "
                           "not wait for each other",
                           other.op};
  }
  return std::nullopt;
}
