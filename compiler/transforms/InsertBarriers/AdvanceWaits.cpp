//===- AdvanceWaits.cpp - Waits before barriers that come anyway ----------===//
#include "compiler/transforms/InsertBarriers/AdvanceWaits.h"

#include "dialects/tile/IR/TileOps.h"

using namespace mlir;
using namespace tile;

/// Whether threads store this operand of `dot` on chip before it, in its block of code.
static bool isStoredBefore(Value operand, AsyncDotOp dot) {
  while (auto view = operand.getDefiningOp<BufferTransposeOp>())
    operand = view.getSource();
  return llvm::any_of(operand.getUsers(), [&](Operation *user) {
    auto store = dyn_cast<BufferStoreOp>(user);
    return store && store.getBuffer() == operand && store->getBlock() == dot->getBlock() &&
           store->isBeforeInBlock(dot);
  });
}

/// The product before `wait` at which all threads meet; null if there is none
/// behind the stores that it waits for.
static Operation *findMeeting(AwaitBlockStoresOp wait) {
  for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
    if (isa<BlockStoreOp, AwaitBlockStoresOp>(op) ||
        (op->getNumRegions() != 0 && !isMemoryEffectFree(op)))
      return nullptr;
    auto dot = dyn_cast<AsyncDotOp>(op);
    if (dot && (isStoredBefore(dot.getA(), dot) || isStoredBefore(dot.getB(), dot)))
      return dot;
  }
  return nullptr;
}

void tile::advanceWaits(func::FuncOp function) {
  SmallVector<AwaitBlockStoresOp> waits;
  function.walk([&](AwaitBlockStoresOp op) {
    if (!op.getByWarps()) // nobody has to be told
      waits.push_back(op);
  });
  for (AwaitBlockStoresOp wait : waits)
    if (Operation *meeting = findMeeting(wait))
      wait->moveBefore(meeting);
}
