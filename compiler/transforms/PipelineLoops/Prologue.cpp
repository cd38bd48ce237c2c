//===- Prologue.cpp - Where a loop's first copies start -------------------===//
#include "compiler/transforms/PipelineLoops/Prologue.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;

/// Ops beside the loop that define what its bounds and the first copies need.
static DenseSet<Operation *> collectNeeded(scf::ForOp loop, const Schedule &schedule) {
  DenseSet<Operation *> needed;
  auto need = [&](Value value) {
    if (Operation *def = value.getDefiningOp())
      needed.insert(loop->getBlock()->findAncestorOpInBlock(*def));
  };
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    need(bound);
  for (unsigned index : schedule.carried)
    need(loop.getInits()[index]);
  for (Operation *op : schedule.addressOps)
    llvm::for_each(op->getOperands(), need);
  for (const AheadLoad &ahead : schedule.loads)
    llvm::for_each(LoadOp(ahead.load)->getOperands(), need);
  return needed;
}

/// Copies may pass what only reads, or exchanges blocks where there is memory for
/// that beside the copies.
static bool mayPass(Operation *op, int64_t spareBytes) {
  constexpr int64_t kAlignment = 1024; // of large buffers
  int64_t scratch = llvm::alignTo(getScratchBytes(op), kAlignment);
  return op->getNumRegions() == 0 && (isMemoryEffectFree(op) || isa<LoadOp>(op)) &&
         scratch <= spareBytes;
}

Operation *tile::findPrologueStart(scf::ForOp loop, const Schedule &schedule) {
  DenseSet<Operation *> needed = collectNeeded(loop, schedule);
  Operation *start = loop;
  while (Operation *before = start->getPrevNode()) {
    if (needed.contains(before) || !mayPass(before, schedule.spareBytes))
      break;
    start = before;
  }
  return start;
}
