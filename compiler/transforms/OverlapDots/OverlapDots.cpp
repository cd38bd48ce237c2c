//===- OverlapDots.cpp - Products across iterations -----------------------===//
#include "compiler/transforms/OverlapDots/OverlapDots.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/transforms/OverlapDots/DeferReads.h"
#include "compiler/transforms/OverlapDots/RegisterCount.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {
#define GEN_PASS_DEF_OVERLAPDOTS
#include "compiler/transforms/OverlapDots/OverlapDots.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
/// A product, the wait for it, and where the loop carries its accumulator.
struct CarriedDot {
  AsyncDotOp dot;
  AwaitDotsOp await;
  unsigned index;
};

struct OverlapDotsPass : tile::impl::OverlapDotsBase<OverlapDotsPass> {
  void runOnOperation() override;
};
} // namespace

/// Whether a buffer is a copy that this iteration awaits.
static bool isCopy(Value buffer, scf::ForOp loop) {
  while (auto view = buffer.getDefiningOp<BufferTransposeOp>())
    buffer = view.getSource();
  auto await = buffer.getDefiningOp<AwaitOp>();
  return await && await->getBlock() == loop.getBody();
}

/// The product, if nothing but the loop touches its accumulator.
static std::optional<CarriedDot> findCarried(AsyncDotOp dot, scf::ForOp loop) {
  auto acc = dyn_cast<BlockArgument>(dot.getAcc());
  if (!acc || acc.getOwner() != loop.getBody() || !acc.hasOneUse() || !dot->hasOneUse() ||
      dot->getBlock() != loop.getBody())
    return std::nullopt;
  auto await = dyn_cast<AwaitDotsOp>(*dot->user_begin());
  if (!await || await.getNumResults() != 1 || !await->hasOneUse())
    return std::nullopt;
  unsigned index = acc.getArgNumber() - loop.getNumInductionVars();
  if (loop.getYieldedValues()[index] != await.getValues().front())
    return std::nullopt;
  bool readsCopies =
      isa<BufferType>(dot.getA().getType()) && isCopy(dot.getA(), loop) && isCopy(dot.getB(), loop);
  return readsCopies ? std::optional(CarriedDot{dot, await, index}) : std::nullopt;
}

/// Whether `op` may not run while products are in flight: it writes on chip, or
/// meets other threads to do so.
static bool endsOverlap(Operation *op) {
  return op->getNumRegions() != 0 ? !isMemoryEffectFree(op)
                                  : isa<BufferStoreOp, AsyncCopyOp, BarrierOp>(op);
}

/// Where an iteration waits for the products of the one before: behind its own,
/// before something may write what those read.
static Operation *findWait(scf::ForOp loop, ArrayRef<CarriedDot> dots) {
  Operation *last = dots.front().dot;
  for (const CarriedDot &carried : dots)
    if (last->isBeforeInBlock(carried.dot))
      last = carried.dot;
  Operation *op = last->getNextNode();
  while (!endsOverlap(op) && !op->hasTrait<OpTrait::IsTerminator>())
    op = op->getNextNode();
  return op;
}

/// The loop carries the accumulators in flight, and they are awaited behind it.
static void carryPending(scf::ForOp loop, ArrayRef<CarriedDot> dots) {
  ImplicitLocOpBuilder b(dots.front().dot->getLoc(), loop);
  SmallVector<Value> results;
  SmallVector<Type> types;
  for (CarriedDot carried : dots) {
    OpOperand &init = loop.getInitsMutable()[carried.index];
    Type type = carried.dot.getType();
    init.set(PendOp::create(b, type, init.get()));
    loop.getRegionIterArg(carried.index).setType(type);
    loop.getResult(carried.index).setType(type);
    results.push_back(loop.getResult(carried.index));
    types.push_back(carried.dot.getBlockType());
  }
  b.setInsertionPointAfter(loop);
  auto last = AwaitDotsOp::create(b, types, results, 0);
  for (auto [result, value] : llvm::zip(results, last.getValues()))
    result.replaceAllUsesExcept(value, last);
}

static void overlap(scf::ForOp loop, ArrayRef<CarriedDot> dots) {
  carryPending(loop, dots);
  ImplicitLocOpBuilder b(dots.front().dot->getLoc(), findWait(loop, dots));
  SmallVector<Value> pending;
  for (CarriedDot carried : dots)
    pending.push_back(carried.dot);
  auto wait = AwaitDotsOp::create(b, TypeRange(ValueRange(pending)), pending, dots.size());
  for (auto [carried, value] : llvm::zip(dots, wait.getValues())) {
    AwaitDotsOp await = carried.await;
    await.getValues().front().replaceAllUsesWith(value);
    await.erase();
  }
}

//===----------------------------------------------------------------------===//
// Within a block
//===----------------------------------------------------------------------===//

/// What `buffer` is a part of; null where that is not to be seen.
static BufferAllocOp findAlloc(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto alloc = dyn_cast<BufferAllocOp>(op))
      return alloc;
    if (auto acquire = dyn_cast<AcquireOp>(op))
      buffer = acquire.getStacks()[cast<OpResult>(buffer).getResultNumber()];
    else if (isa<BufferViewOp, BufferTransposeOp>(op))
      buffer = op->getOperand(0);
    else
      break;
  }
  return {};
}

/// Whether all buffers that there are fit on chip apart from each other.
static bool canAllBeApart(Operation *op) {
  int64_t bytes = 0;
  op->getParentOfType<func::FuncOp>().walk(
      [&](BufferAllocOp alloc) { bytes += alloc.getType().getBytes(); });
  return bytes <= getOnChipBytes(op);
}

/// Whether threads may store a block while `await` has not ended: in a buffer that none of its
/// products reads. Buffers have no places yet; they get them apart while products are in flight.
static bool mayStoreBefore(BufferStoreOp store, AwaitDotsOp await) {
  BufferAllocOp stored = findAlloc(store.getBuffer());
  return stored && canAllBeApart(await) && llvm::all_of(await.getPending(), [&](Value pending) {
           auto dot = pending.getDefiningOp<AsyncDotOp>();
           return dot && llvm::all_of(ValueRange{dot.getA(), dot.getB()}, [&](Value operand) {
                    if (!isa<BufferType>(operand.getType()))
                      return true;
                    BufferAllocOp read = findAlloc(operand);
                    return read && read != stored;
                  });
         });
}

/// Whether threads exchange so much by `op` that it should not take memory beside what
/// products in flight read.
static bool exchangesMuch(Operation *op) {
  constexpr int64_t kMuch = 16 * 1024;
  return getScratchBytes(op) > kMuch;
}

/// Whether `op` waits for copies that a loop has left. The assembler runs products one by one
/// where it finds that wait before that for the loop's last ones.
static bool endsCopies(Operation *op) {
  auto await = dyn_cast<AwaitOp>(op);
  return await && await->getNumOperands() != 0 &&
         await->getOperand(0).getDefiningOp<LoopLikeOpInterface>();
}

static bool isBesideProducts(AsyncCopyOp copy) {
  return copy->hasAttr(kPreviousBlockAttr) || copy->hasAttr(kReadBlockAttr);
}

/// Whether `op` starts copies for later iterations, into blocks that no product of its own
/// iteration reads.
static bool startsCopiesAhead(Operation *op) {
  if (auto copy = dyn_cast<AsyncCopyOp>(op))
    return isBesideProducts(copy);
  return isa<scf::IfOp>(op) && !op->walk([](Operation *inner) {
                                    auto copy = dyn_cast<AsyncCopyOp>(inner);
                                    bool mayRun = copy ? isBesideProducts(copy)
                                                       : inner->getNumRegions() != 0 ||
                                                             isMemoryEffectFree(inner);
                                    return mayRun ? WalkResult::advance() : WalkResult::interrupt();
                                  }).wasInterrupted();
}

/// Whether the products are of the iteration that waits, rather than of the one before.
static bool awaitsOwn(AwaitDotsOp await) {
  return llvm::none_of(await.getResultTypes(), llvm::IsaPred<PendingType>) &&
         llvm::all_of(await.getPending(), [&](Value pending) {
           auto dot = pending.getDefiningOp<AsyncDotOp>();
           return dot && dot->getBlock() == await->getBlock();
         });
}

/// The first op behind `await` that needs one of its results, or before which
/// its products must be complete.
static Operation *findDeadline(AwaitDotsOp await) {
  int64_t registers = 0;
  bool areOwn = awaitsOwn(await);
  for (Value pending : await.getPending())
    if (auto dot = pending.getDefiningOp<AsyncDotOp>())
      registers += countRegisters(dot);
  for (Operation *op = await->getNextNode();; op = op->getNextNode()) {
    bool uses = llvm::any_of(await->getUsers(), [&](Operation *user) {
      return await->getBlock()->findAncestorOpInBlock(*user) == op;
    });
    auto store = dyn_cast<BufferStoreOp>(op);
    bool ends = store ? !mayStoreBefore(store, await)
                      : (endsOverlap(op) && !(areOwn && startsCopiesAhead(op))) || endsCopies(op) ||
                            exchangesMuch(op);
    if (auto dot = dyn_cast<AsyncDotOp>(op)) {
      registers += countRegisters(dot);
      ends = !fitRegisters(registers + countLive(op, await), op);
    }
    if (uses || ends || op->hasTrait<OpTrait::IsTerminator>())
      return op;
  }
}

/// Wait as late as possible. What was issued after a product may go on.
static void sinkAwait(AwaitDotsOp await) {
  Operation *deadline = findDeadline(await);
  int64_t later = 0;
  for (Operation *op = await->getNextNode(); op != deadline; op = op->getNextNode())
    later += isa<AsyncDotOp>(op);
  await->moveBefore(deadline);
  await.setInFlight(await.getInFlight() + later);
}

/// Products that are awaited at one place are awaited by one op, which names all
/// that are in flight.
static void mergeAwaits(AwaitDotsOp first, AwaitDotsOp second) {
  OpBuilder b(second);
  SmallVector<Value> pending(first.getPending()), results(first.getValues());
  llvm::append_range(pending, second.getPending());
  llvm::append_range(results, second.getValues());
  uint32_t inFlight = std::min(first.getInFlight(), second.getInFlight());
  auto merged =
      AwaitDotsOp::create(b, second.getLoc(), TypeRange(ValueRange(results)), pending, inFlight);
  for (auto [old, value] : llvm::zip(results, merged.getValues()))
    old.replaceAllUsesWith(value);
  first.erase();
  second.erase();
}

/// What is still pending behind the first one may be what the second awaits.
static bool canMerge(AwaitDotsOp first, AwaitDotsOp second) {
  auto isComplete = [](AwaitDotsOp op) {
    return llvm::none_of(op.getResultTypes(), llvm::IsaPred<PendingType>);
  };
  return isComplete(first) && isComplete(second);
}

static void sinkAwaits(Block &block) {
  SmallVector<AwaitDotsOp> awaits = llvm::to_vector(block.getOps<AwaitDotsOp>());
  for (AwaitDotsOp await : llvm::reverse(awaits))
    sinkAwait(await);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto second = dyn_cast<AwaitDotsOp>(op);
    auto first = dyn_cast_if_present<AwaitDotsOp>(op.getPrevNode());
    if (first && second && canMerge(first, second))
      mergeAwaits(first, second);
  }
}

/// The wait right before `dot` for nothing but what it adds to; units add to one
/// accumulator in order, so that none is needed.
static AwaitDotsOp findNeedlessWait(AsyncDotOp dot) {
  auto await = dot.getAcc().getDefiningOp<AwaitDotsOp>();
  bool isBefore = await && dot->getPrevNode() == await.getOperation();
  bool isAlone = isBefore && await.getNumResults() == 1 && dot.getAcc().hasOneUse();
  auto first = isAlone ? await.getPending().front().getDefiningOp<AsyncDotOp>() : AsyncDotOp();
  return first && first->hasOneUse() && first.getUnit() == dot.getUnit() ? await : AwaitDotsOp();
}

static void chainDots(Block &block) {
  for (auto dot : block.getOps<AsyncDotOp>())
    if (AwaitDotsOp await = findNeedlessWait(dot)) {
      dot.getAccMutable().set(await.getPending().front());
      await.erase();
    }
}

//===----------------------------------------------------------------------===//
// Into the next iteration
//===----------------------------------------------------------------------===//

/// Whether the next iteration reads another block of the ring that `operand` is one of, or
/// whether threads hold it.
static bool lastsLonger(Value operand, scf::ForOp loop) {
  if (!isa<BufferType>(operand.getType()))
    return true;
  while (auto view = operand.getDefiningOp<BufferTransposeOp>())
    operand = view.getSource();
  auto acquire = operand.getDefiningOp<AcquireOp>();
  auto index = acquire ? dyn_cast<BlockArgument>(acquire.getIndex()) : BlockArgument();
  return index && acquire->getBlock() == loop.getBody() && index.getOwner() == loop.getBody() &&
         acquire.getSignals().getType().getCount() > 1;
}

/// The product that `last` waits for at the end of an iteration, if nothing but the loop touches
/// its accumulator.
static std::optional<CarriedDot> findLast(AwaitDotsOp last, unsigned place, AwaitDotsOp first,
                                          scf::ForOp loop) {
  auto dot = last.getPending()[place].getDefiningOp<AsyncDotOp>();
  auto acc = dot ? dyn_cast<BlockArgument>(dot.getAcc()) : BlockArgument();
  Value result = last.getValues()[place];
  if (!acc || acc.getOwner() != loop.getBody() || !acc.hasOneUse() || !dot->hasOneUse() ||
      dot->getBlock() != loop.getBody() || !first->isBeforeInBlock(dot) || !result.hasOneUse())
    return std::nullopt;
  unsigned index = acc.getArgNumber() - loop.getNumInductionVars();
  if (loop.getYieldedValues()[index] != result || !lastsLonger(dot.getA(), loop) ||
      !lastsLonger(dot.getB(), loop))
    return std::nullopt;
  return CarriedDot{dot, last, index};
}

/// The wait at which those of the iteration before are complete, because it is for the
/// iteration's own; null if there is none.
static AwaitDotsOp findFirstWait(Block &body) {
  int64_t started = 0;
  for (Operation &op : body) {
    started += isa<AsyncDotOp>(op);
    if (auto await = dyn_cast<AwaitDotsOp>(op))
      return started > 0 && await.getInFlight() <= started ? await : AwaitDotsOp();
  }
  return {};
}

/// `first` also waits for `more`, and leaves these pending to whoever goes on with them.
static void awaitToo(AwaitDotsOp first, ArrayRef<BlockArgument> more) {
  OpBuilder b(first);
  SmallVector<Value> pending(first.getPending());
  SmallVector<Type> types(first.getResultTypes());
  for (BlockArgument argument : more) {
    pending.push_back(argument);
    types.push_back(argument.getType());
  }
  auto wider = AwaitDotsOp::create(b, first.getLoc(), types, pending, first.getInFlight());
  unsigned own = first.getNumResults();
  first.replaceAllUsesWith(wider.getResults().take_front(own));
  for (auto [argument, value] : llvm::zip(more, wider.getResults().drop_front(own)))
    BlockArgument(argument).replaceAllUsesExcept(value, wider);
  first.erase();
}

/// Whether a wait of the iteration completes the product.
static bool isCompleteInside(AsyncDotOp dot, AwaitDotsOp last) {
  int64_t later = 0;
  for (Operation *op = dot->getNextNode(); op != last; op = op->getNextNode()) {
    later += isa<AsyncDotOp>(op);
    if (auto await = dyn_cast<AwaitDotsOp>(op); await && await.getInFlight() <= later)
      return true;
  }
  return false;
}

/// Registers that products take before `first`.
static int64_t countAtFirst(ArrayRef<CarriedDot> carried, AwaitDotsOp first) {
  int64_t count = 0;
  for (CarriedDot each : carried)
    count += isCompleteInside(each.dot, each.await) ? countRegisters(each.dot.getBlockType())
                                                    : countRegisters(each.dot);
  for (auto dot : first->getBlock()->getOps<AsyncDotOp>())
    count += dot->isBeforeInBlock(first) ? countRegisters(dot) : 0;
  return count;
}

/// Products that an iteration ends with go on while the next one starts its own.
static void carryLast(scf::ForOp loop) {
  auto last = dyn_cast_if_present<AwaitDotsOp>(loop.getBody()->getTerminator()->getPrevNode());
  AwaitDotsOp first = findFirstWait(*loop.getBody());
  // With none in flight at the first wait, all would end there, and threads work alone again.
  if (!last || !first || first == last || first.getInFlight() == 0)
    return;
  SmallVector<CarriedDot> dots;
  for (unsigned place = 0; place < last.getNumResults(); ++place) {
    std::optional<CarriedDot> found = findLast(last, place, first, loop);
    if (!found)
      return;
    dots.push_back(*found);
  }
  if (!fitRegisters(countAtFirst(dots, first), last))
    return;
  for (auto [dot, value] : llvm::zip(dots, last.getValues()))
    value.replaceAllUsesWith(dot.dot);
  last.erase();
  carryPending(loop, dots);
  awaitToo(first, llvm::map_to_vector(dots, [&](const CarriedDot &dot) {
             return loop.getRegionIterArg(dot.index);
           }));
}

void OverlapDotsPass::runOnOperation() {
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) {
    if (loop->hasAttr(kDotsInFlightAttr))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    SmallVector<CarriedDot> carried;
    bool all = true;
    loop.getBody()->walk([&](AsyncDotOp dot) {
      if (std::optional<CarriedDot> found = findCarried(dot, loop))
        carried.push_back(*found);
      else
        all = false;
    });
    if (all && !carried.empty())
      overlap(loop, carried);
    loop->removeAttr(kDotsInFlightAttr);
  }
  SmallVector<Block *> blocks;
  getOperation().walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks) {
    deferReads(*block);
    sinkAwaits(*block);
  }
  for (Block *block : blocks)
    chainDots(*block);
  getOperation().walk([](scf::ForOp loop) { carryLast(loop); });
}
