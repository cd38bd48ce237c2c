//===- ArrayUses.cpp - What else a kernel does with its arrays ------------===//
#include "compiler/analysis/ArrayUses/ArrayUses.h"

#include "compiler/analysis/PointerBase/PointerBase.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tile;

Value tile::getArray(Value desc) {
  auto made = desc.getDefiningOp<MakeDescriptorOp>();
  return made ? getPointerBase(made.getBase()) : Value();
}

bool tile::isReadOnlyArray(Value desc) {
  auto made = desc.getDefiningOp<MakeDescriptorOp>();
  return made && isReadOnly(made.getBase());
}

ArrayUses::ArrayUses(func::FuncOp function) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    numbers[op] = numbers.size();
    collect(op);
  });
}

/// An atomic access whose result nobody looks at learns nothing.
void ArrayUses::collectAtomic(Operation *op, const AtomicAccess &access) {
  Value base = getPointerBase(access.pointer);
  writers[base].push_back(op);
  readers[base].push_back(op);
  if (access.acquires() && !op->use_empty())
    acquires.push_back(op);
  if (access.releases())
    releases.push_back(op);
}

/// What the text may do that nobody reads here.
static bool ordersMemory(InlineAsmOp op) {
  auto isPointer = [](Type type) { return isa<PtrType>(getElementType(type)); };
  return !op.getIsPure() && (op.getConstraints().contains("~{memory}") ||
                             llvm::any_of(op->getOperandTypes(), isPointer));
}

void ArrayUses::collect(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    if (load.getIsVolatile()) // perhaps a flag
      acquires.push_back(op);
    if (!isReadOnly(load.getPointer())) // nobody writes there
      readers[getPointerBase(load.getPointer())].push_back(op);
  } else if (isa<DescriptorLoadOp, DescriptorGatherOp>(op)) {
    if (!isReadOnlyArray(op->getOperand(0)))
      readers[getArray(op->getOperand(0))].push_back(op);
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    writers[getPointerBase(store.getPointer())].push_back(op);
  } else if (isa<DescriptorStoreOp, DescriptorReduceOp, DescriptorScatterOp>(op)) {
    writers[getArray(op->getOperand(0))].push_back(op);
  } else if (std::optional<AtomicAccess> atomic = getAtomicAccess(op)) {
    collectAtomic(op, *atomic);
  } else if (isa<AtomicPollOp>(op)) {
    acquires.push_back(op);
  } else if (auto assembly = dyn_cast<InlineAsmOp>(op); assembly && ordersMemory(assembly)) {
    acquires.push_back(op);
    releases.push_back(op);
  }
}

bool ArrayUses::mayPrecede(Operation *first, Operation *second) const {
  if (numbers.lookup(first) < numbers.lookup(second))
    return true;
  for (Operation *parent = first->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent) && !parent->hasAttr(kProgramLoopAttr) &&
        parent->isAncestor(second))
      return true;
  return false;
}

static ArrayRef<Operation *> find(const DenseMap<Value, SmallVector<Operation *>> &accesses,
                                  Value base) {
  auto found = accesses.find(base);
  return found == accesses.end() ? ArrayRef<Operation *>() : ArrayRef<Operation *>(found->second);
}

ArrayRef<Operation *> ArrayUses::getWriters(Value base) const { return find(writers, base); }

/// An array that nobody knows may be any that is written.
bool ArrayUses::mayFetchAhead(Operation *load, Value base, bool isReadOnly) const {
  auto isBefore = [&](Operation *op) { return mayPrecede(op, load); };
  if (llvm::any_of(acquires, isBefore))
    return false;
  if (isReadOnly)
    return true;
  if (!base)
    return llvm::none_of(writers, [&](const Accesses::value_type &entry) {
      return llvm::any_of(entry.second, isBefore);
    });
  return llvm::none_of(getWriters(base), isBefore) && llvm::none_of(getWriters(Value()), isBefore);
}

bool ArrayUses::mayFetchAhead(Operation *load, Value desc) const {
  return mayFetchAhead(load, getArray(desc), isReadOnlyArray(desc));
}

bool ArrayUses::mayFetchAhead(LoadOp load) const {
  Value pointer = load.getPointer();
  return !load.getIsVolatile() && mayFetchAhead(load, getPointerBase(pointer), isReadOnly(pointer));
}

/// An array that nobody knows may be any that is not read-only.
bool ArrayUses::mayStoreLate(Operation *store, Value desc) const {
  auto isBehind = [&](Operation *op) { return mayPrecede(store, op); };
  auto isRead = [&](const Accesses::value_type &entry) {
    return llvm::any_of(entry.second, isBehind);
  };
  if (llvm::any_of(releases, isBehind))
    return false;
  Value base = getArray(desc);
  if (!base)
    return writers.size() == 1 && llvm::none_of(readers, isRead);
  return getWriters(Value()).empty() && llvm::none_of(find(readers, base), isBehind) &&
         llvm::none_of(find(readers, Value()), isBehind);
}
