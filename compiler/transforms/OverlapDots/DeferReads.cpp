//===- DeferReads.cpp - Read on chip while products are at work --------------===//
#include "compiler/transforms/OverlapDots/DeferReads.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile;

/// Whether a read may move from before `op` to behind it: `op` neither writes on chip nor
/// waits for anything.
static bool mayPass(Operation *op) {
  return isa<BufferLoadOp, AsyncDotOp>(op) || (op->getNumRegions() == 0 && isMemoryEffectFree(op));
}

/// The read and all before `dot` that depends on it, in order; nothing where that has to stay.
static SmallVector<Operation *> collectMoved(BufferLoadOp read, AsyncDotOp dot) {
  DenseSet<Operation *> moved{read};
  SmallVector<Operation *> order{read};
  for (Operation *op = read->getNextNode(); op != dot; op = op->getNextNode()) {
    if (!mayPass(op))
      return {};
    bool depends = llvm::any_of(
        op->getOperands(), [&](Value operand) { return moved.contains(operand.getDefiningOp()); });
    if (!depends)
      continue;
    if (isa<AsyncDotOp>(op))
      return {};
    moved.insert(op);
    order.push_back(op);
  }
  bool isNeeded = llvm::any_of(
      dot->getOperands(), [&](Value operand) { return moved.contains(operand.getDefiningOp()); });
  return isNeeded ? SmallVector<Operation *>() : order;
}

void tile::deferReads(Block &block) {
  for (auto dot : llvm::to_vector(block.getOps<AsyncDotOp>())) {
    Operation *place = dot;
    for (auto read : llvm::to_vector(block.getOps<BufferLoadOp>())) {
      if (!read->isBeforeInBlock(dot))
        break;
      for (Operation *op : collectMoved(read, dot)) {
        op->moveAfter(place);
        place = op;
      }
    }
  }
}
