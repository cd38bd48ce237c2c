//===- Prologue.cpp - Where a loop's first copies start -------------------===//
#include "compiler/transforms/PipelineLoops/Prologue.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/OperandSource/OperandSource.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;

namespace {
/// Ops beside the loop that define what its bounds and the first copies need.
class Needed {
public:
  Needed(scf::ForOp loop, const Schedule &schedule) : block(loop->getBlock()) {
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      add(bound);
    for (unsigned index : schedule.carried)
      add(loop.getInits()[index]);
    for (Operation *op : schedule.addressOps)
      addOperands(op);
    for (const AheadLoad &ahead : schedule.loads)
      addOperands(ahead.load);
  }

  bool contains(Operation *op) const { return ops.contains(op); }
  void addOperands(Operation *op) {
    for (Value operand : op->getOperands())
      add(operand);
  }

private:
  void add(Value value) {
    if (Operation *def = value.getDefiningOp())
      ops.insert(block->findAncestorOpInBlock(*def));
  }

  Block *block;
  DenseSet<Operation *> ops;
};
} // namespace

/// The most on-chip bytes that hold what a product reads there: stacks of an earlier loop's
/// copies, or blocks that are stored for it.
static int64_t getReadBytes(DotOp dot) {
  int64_t bits = 0, stacks = 0;
  for (MatmulOperand which : {MatmulOperand::A, MatmulOperand::B}) {
    if (!isReadOnChip(dot, which))
      continue;
    Value block = traceOperand(which == MatmulOperand::A ? dot.getA() : dot.getB()).block;
    if (!block.getDefiningOp<BufferLoadOp>())
      bits += ShapedType::getNumElements(getShape(block.getType())) *
              getElementType(block.getType()).getIntOrFloatBitWidth();
    else if (stacks == 0)
      dot->getParentOfType<func::FuncOp>().walk(
          [&](BufferAllocOp alloc) { stacks += alloc.getType().getBytes(); });
  }
  return bits / 8 + stacks;
}

/// On-chip bytes that `op`, which copies pass, needs beside them.
static int64_t getBytesBeside(Operation *op) {
  constexpr int64_t kAlignment = 1024; // of large buffers
  auto dot = dyn_cast<DotOp>(op);
  return llvm::alignTo(dot ? getReadBytes(dot) : getScratchBytes(op), kAlignment);
}

int64_t tile::getPassedBytes(scf::ForOp loop) {
  int64_t most = 0;
  for (Operation *op = loop->getPrevNode(); op && op->getNumRegions() == 0; op = op->getPrevNode())
    most = std::max(most, getBytesBeside(op));
  return most;
}

/// Copies may pass what only reads, but for volatile loads, which may tell that
/// there is something to read; or exchanges blocks, or multiplies what is on chip, where
/// there is memory for that beside the copies.
static bool mayPass(Operation *op, int64_t spareBytes) {
  auto load = dyn_cast<LoadOp>(op);
  bool onlyReads = isMemoryEffectFree(op) || (load && !load.getIsVolatile());
  return op->getNumRegions() == 0 && onlyReads && getBytesBeside(op) <= spareBytes;
}

Operation *tile::findPrologueStart(scf::ForOp loop, const Schedule &schedule) {
  Needed needed(loop, schedule);
  SmallVector<Operation *> moved; // the last one first
  Operation *start = loop;
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    if (needed.contains(op)) {
      if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
        break;
      needed.addOperands(op);
      moved.push_back(op);
    } else if (!mayPass(op, schedule.spareBytes)) {
      break;
    }
    start = op;
  }
  for (Operation *op : llvm::reverse(moved))
    if (op != start)
      op->moveBefore(start);
    else
      start = start->getNextNode();
  return start;
}
