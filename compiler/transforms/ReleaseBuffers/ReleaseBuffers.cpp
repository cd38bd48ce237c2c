//===- ReleaseBuffers.cpp - Blocks of rings have been read ----------------===//
#include "compiler/transforms/ReleaseBuffers/ReleaseBuffers.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {
#define GEN_PASS_DEF_RELEASEBUFFERS
#include "compiler/transforms/ReleaseBuffers/ReleaseBuffers.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
/// The empty signals of each ring, by its full ones: those with which another
/// role acquires the same stacks.
struct EmptySignal {
  Value signals;
  /// Whether units fill the ring.
  bool byUnits = false;
  /// Whether other thread blocks fill it too.
  bool everywhere = false;
};
using EmptySignals = DenseMap<Value, EmptySignal>;

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
        signals[op.getSignals()].signals = empty;
  });
  roles.walk([&](BlockCopyOp op) {
    EmptySignal &signal = signals[op.getSignals()];
    signal.byUnits = true;
    signal.everywhere |= op.getEverywhere();
  });
  return signals;
}

/// The first wait from `op` on behind which products are complete that `later` others follow, or
/// more as they are started; null if the block has none.
static AwaitDotsOp findWait(Operation *op, int64_t &later) {
  for (; op; op = op->getNextNode()) {
    later += isa<AsyncDotOp>(op);
    if (auto await = dyn_cast<AwaitDotsOp>(op); await && await.getInFlight() <= later)
      return await;
  }
  return {};
}

namespace {
/// Where a product is complete: behind a wait of its block of code, or of the loop's next
/// iteration and behind the loop.
struct Completion {
  AwaitDotsOp wait, behindLoop;
};

/// What has to be over before a buffer may be overwritten.
struct Readers {
  Operation *last;
  Completion next = {};
  /// Whether threads are among them, whose reads may be under way when they go on.
  bool areThreads = false;
};
} // namespace

/// Fails where that is not to be seen.
static FailureOr<Completion> findCompletion(AsyncDotOp dot) {
  int64_t later = 0;
  if (AwaitDotsOp wait = findWait(dot->getNextNode(), later))
    return Completion{wait, {}};
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  if (!loop)
    return failure();
  for (OpOperand &use : dot->getUses())
    if (isa<scf::YieldOp>(use.getOwner()))
      for (Operation *user : loop.getResult(use.getOperandNumber()).getUsers())
        if (auto behind = dyn_cast<AwaitDotsOp>(user); behind && behind.getInFlight() == 0)
          if (AwaitDotsOp wait = findWait(&loop.getBody()->front(), later))
            return Completion{wait, behind};
  return failure();
}

/// Adds those of what `view` shows, in code within the block that acquires it too. Fails where
/// they are not there.
static LogicalResult findReaders(Value view, Readers &readers) {
  for (Operation *user : view.getUsers()) {
    Operation *over = user;
    if (auto transpose = dyn_cast<BufferTransposeOp>(user)) {
      if (failed(findReaders(transpose.getResult(), readers)))
        return failure();
    } else if (auto dot = dyn_cast<AsyncDotOp>(user)) {
      FailureOr<Completion> completion = findCompletion(dot);
      if (failed(completion))
        return failure();
      if (completion->behindLoop) {
        readers.next = *completion;
        continue;
      }
      over = completion->wait;
    } else {
      readers.areThreads = true;
    }
    over = readers.last->getBlock()->findAncestorOpInBlock(*over);
    if (!over)
      return failure();
    if (readers.last->isBeforeInBlock(over))
      readers.last = over;
  }
  return success();
}

/// An arrival for the block before that at `index`, where there is one.
static void arriveBefore(ImplicitLocOpBuilder &b, Value exists, AcquireOp acquire,
                         const EmptySignal &empty, bool publish, Value index) {
  auto createInt = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  auto branch = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  Value zero = createInt(0);
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, index, zero);
  Value less = arith::SubIOp::create(b, index, createInt(1));
  int64_t count = acquire.getSignals().getType().getCount();
  Value before = arith::SelectOp::create(b, wraps, createInt(count - 1), less);
  ArriveOp::create(b, empty.signals, before, /*together=*/!publish, publish, empty.everywhere);
}

/// In the next iteration, and for the last one behind the loop.
static LogicalResult releaseLater(AcquireOp acquire, const EmptySignal &empty,
                                  const Completion &completion, bool publish) {
  auto loop = cast<scf::ForOp>(acquire->getParentOp());
  auto index = dyn_cast<BlockArgument>(acquire.getIndex());
  if (!index || index.getOwner() != loop.getBody())
    return failure();
  ImplicitLocOpBuilder b(acquire.getLoc(), acquire);
  b.setInsertionPointAfter(completion.wait);
  Value isLater = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, loop.getInductionVar(),
                                        loop.getLowerBound());
  arriveBefore(b, isLater, acquire, empty, publish, index);
  b.setInsertionPointAfter(completion.behindLoop);
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value isEntered = arith::CmpIOp::create(b, less, loop.getLowerBound(), loop.getUpperBound());
  arriveBefore(b, isEntered, acquire, empty, publish,
               loop.getResult(index.getArgNumber() - loop.getNumInductionVars()));
  return success();
}

static LogicalResult release(AcquireOp acquire, const EmptySignal &empty) {
  auto fail = [&] {
    return acquire.emitOpError("expects what reads its buffers to be complete in its block");
  };
  Readers readers{acquire};
  for (Value view : acquire.getViews())
    if (failed(findReaders(view, readers)))
      return fail();
  bool publish = readers.areThreads && empty.byUnits;
  if (readers.next.wait)
    return succeeded(releaseLater(acquire, empty, readers.next, publish)) ? success()
                                                                          : LogicalResult(fail());
  OpBuilder b(acquire);
  b.setInsertionPointAfter(readers.last);
  ArriveOp::create(b, acquire.getLoc(), empty.signals, acquire.getIndex(),
                   /*together=*/isa<AwaitDotsOp>(readers.last) && !publish, publish,
                   empty.everywhere);
  return success();
}

void ReleaseBuffersPass::runOnOperation() {
  for (auto roles : getOperation().getOps<RolesOp>()) {
    EmptySignals signals = findEmptySignals(roles);
    SmallVector<AcquireOp> acquires;
    roles.getBodies().front().walk([&](AcquireOp op) { acquires.push_back(op); });
    for (AcquireOp acquire : acquires)
      if (EmptySignal empty = signals.lookup(acquire.getSignals()); empty.signals)
        if (failed(release(acquire, empty)))
          return signalPassFailure();
  }
}
