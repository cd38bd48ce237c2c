//===- AtomicOps.cpp - Atomic accesses to global memory: rules ------------===//
#include "dialects/tile/IR/MemoryRules.h"
#include "dialects/tile/IR/TileOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// What they have in common
//===----------------------------------------------------------------------===//

bool tile::isAtomic(Operation *op) {
  return isa<AtomicRMWOp, AtomicCASOp, AtomicLoadOp, AtomicStoreOp>(op);
}

std::optional<AtomicAccess> tile::getAtomicAccess(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<AtomicAccess>>(op)
      .Case([](AtomicRMWOp rmw) {
        return AtomicAccess{rmw.getPointer(), rmw->getOperands().slice(1, 1), rmw.getMask(),
                            rmw.getSemantic(), rmw.getScope()};
      })
      .Case([](AtomicCASOp cas) {
        return AtomicAccess{cas.getPointer(), cas->getOperands().drop_front(), Value(),
                            cas.getSemantic(), cas.getScope()};
      })
      .Case([](AtomicLoadOp load) {
        return AtomicAccess{
            load.getPointer(), {}, load.getMask(), load.getSemantic(), load.getScope()};
      })
      .Case([](AtomicStoreOp store) {
        return AtomicAccess{store.getPointer(), store->getOperands().slice(1, 1), store.getMask(),
                            store.getSemantic(), store.getScope()};
      })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult tile::verifyAtomicKind(Operation *op, AtomicKind kind, Type element) {
  bool isFloat = isa<FloatType>(element);
  bool takesFloat =
      kind == AtomicKind::FAdd || kind == AtomicKind::FMax || kind == AtomicKind::FMin;
  if (kind == AtomicKind::Exchange || isFloat == takesFloat)
    return success();
  return op->emitOpError("expects ") << (isFloat ? "an integer" : "a float") << " for '"
                                     << stringifyAtomicKind(kind) << "', got " << element;
}

LogicalResult AtomicRMWOp::verify() {
  if (failed(verifyMask(*this, getPointer().getType(), getMask()))) // atomic_rmw.1
    return failure();
  return verifyAtomicKind(*this, getKind(), getElementType(getValue().getType())); // atomic_rmw.2
}

/// A load cannot release, a store cannot acquire.
static LogicalResult verifyOrdering(Operation *op, MemorySemantic semantic,
                                    MemorySemantic strongest) {
  if (semantic == MemorySemantic::Relaxed || semantic == strongest)
    return success();
  return op->emitOpError("expects the ordering '")
         << stringifyMemorySemantic(strongest) << "' or 'relaxed', got '"
         << stringifyMemorySemantic(semantic) << "'";
}

LogicalResult AtomicLoadOp::verify() {
  if (failed(verifyMask(*this, getPointer().getType(), getMask()))) // atomic_load.1
    return failure();
  return verifyOrdering(*this, getSemantic(), MemorySemantic::Acquire); // atomic_load.2
}

LogicalResult AtomicStoreOp::verify() {
  if (failed(verifyMask(*this, getPointer().getType(), getMask()))) // atomic_store.1
    return failure();
  return verifyOrdering(*this, getSemantic(), MemorySemantic::Release); // atomic_store.2
}

LogicalResult AtomicPollOp::verify() {
  unsigned bits = getExpected().getType().getIntOrFloatBitWidth();
  if (bits != 16 && bits != 32 && bits != 64) // atomic_poll.1
    return emitOpError("expects an integer of 16, 32 or 64 bits, got ") << getExpected().getType();
  return verifyOrdering(*this, getSemantic(), MemorySemantic::Acquire); // atomic_poll.2
}
