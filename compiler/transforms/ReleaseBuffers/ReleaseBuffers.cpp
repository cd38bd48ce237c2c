//===- ReleaseBuffers.cpp - Blocks of rings have been read ----------------===//
#include "compiler/transforms/ReleaseBuffers/ReleaseBuffers.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/Builders.h"

namespace tile {
#define GEN_PASS_DEF_RELEASEBUFFERS
#include "compiler/transforms/ReleaseBuffers/ReleaseBuffers.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
/// The empty signals of each ring, by its full ones: those with which another
/// role acquires the same stacks.
using EmptySignals = DenseMap<Value, Value>;

struct ReleaseBuffersPass : tile::impl::ReleaseBuffersBase<ReleaseBuffersPass> {
  void runOnOperation() override;
};
} // namespace

static EmptySignals findEmptySignals(RolesOp roles) {
  DenseMap<Value, Value> byStack;
  for (Region &region : llvm::drop_begin(roles.getBodies()))
    region.walk([&](AcquireOp op) {
      for (Value stack : op.getStacks())
        byStack[stack] = op.getSignals();
    });
  EmptySignals signals;
  roles.getBodies().front().walk([&](AcquireOp op) {
    for (Value stack : op.getStacks())
      if (Value empty = byStack.lookup(stack))
        signals[op.getSignals()] = empty;
  });
  return signals;
}

/// The wait behind which the product is complete; null if its block has none.
static Operation *findCompletion(AsyncDotOp dot) {
  int64_t later = 0;
  for (Operation *op = dot->getNextNode(); op; op = op->getNextNode()) {
    if (isa<AsyncDotOp>(op))
      ++later;
    if (auto await = dyn_cast<AwaitDotsOp>(op); await && await.getInFlight() <= later)
      return op;
  }
  return nullptr;
}

/// The last op that has to be over before what `view` shows may be overwritten.
/// Fails where that is not in the block of code of `view`.
static FailureOr<Operation *> findLastReader(Value view) {
  Operation *last = view.getDefiningOp();
  for (Operation *user : view.getUsers()) {
    Operation *over = user;
    if (auto transpose = dyn_cast<BufferTransposeOp>(user)) {
      FailureOr<Operation *> inner = findLastReader(transpose.getResult());
      if (failed(inner))
        return failure();
      over = *inner;
    } else if (auto dot = dyn_cast<AsyncDotOp>(user)) {
      over = findCompletion(dot);
    }
    if (over)
      over = view.getParentBlock()->findAncestorOpInBlock(*over);
    if (!over)
      return failure();
    if (last->isBeforeInBlock(over))
      last = over;
  }
  return last;
}

static LogicalResult release(AcquireOp acquire, Value empty) {
  Operation *last = acquire;
  for (Value view : acquire.getViews()) {
    FailureOr<Operation *> reader = findLastReader(view);
    if (failed(reader))
      return acquire.emitOpError("expects what reads its buffers to be complete in its block");
    if (last->isBeforeInBlock(*reader))
      last = *reader;
  }
  OpBuilder b(acquire);
  b.setInsertionPointAfter(last);
  ArriveOp::create(b, acquire.getLoc(), empty, acquire.getIndex(),
                   /*together=*/isa<AwaitDotsOp>(last));
  return success();
}

void ReleaseBuffersPass::runOnOperation() {
  for (auto roles : getOperation().getOps<RolesOp>()) {
    EmptySignals signals = findEmptySignals(roles);
    SmallVector<AcquireOp> acquires;
    roles.getBodies().front().walk([&](AcquireOp op) { acquires.push_back(op); });
    for (AcquireOp acquire : acquires)
      if (Value empty = signals.lookup(acquire.getSignals()))
        if (failed(release(acquire, empty)))
          return signalPassFailure();
  }
}
