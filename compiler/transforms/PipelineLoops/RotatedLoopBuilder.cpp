//===- RotatedLoopBuilder.cpp - A loop between two dots -------------------===//
#include "compiler/transforms/PipelineLoops/RotatedLoopBuilder.h"

#include "compiler/analysis/LoopSlice/LoopSlice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tile;

/// Values of the body, made before the late part or carried into the iteration,
/// that the late part or the next iteration uses.
void RotatedLoopBuilder::findCrossing() {
  late.insert(schedule.lateOps.begin(), schedule.lateOps.end());
  auto use = [&](Value value) {
    Operation *def = value.getDefiningOp();
    bool isArgument = !def && value.getParentBlock() == loop.getBody();
    bool isMade = def && def->getBlock() == loop.getBody() && !late.contains(def);
    // Copies are carried as buffers.
    if (isArgument || (isMade && !copied.contains(def)))
      crossing.insert(value);
  };
  for (Operation *op : schedule.lateOps)
    op->walk([&](Operation *inner) { llvm::for_each(inner->getOperands(), use); });
  for (unsigned index : neededArguments)
    use(loop.getYieldedValues()[index]);
}

LoopBuilder::Values RotatedLoopBuilder::getCrossing(const IRMapping &values) const {
  return llvm::map_to_vector(crossing, [&](Value value) { return values.lookup(value); });
}

void RotatedLoopBuilder::mapCrossing(IRMapping &values, ValueRange carried) const {
  for (auto [value, now] : llvm::zip(crossing, carried))
    values.map(value, now);
}

void RotatedLoopBuilder::mapNext(IRMapping &next, const IRMapping &values) const {
  scf::ForOp from = loop;
  for (unsigned index : neededArguments)
    next.map(from.getRegionIterArg(index), values.lookupOrDefault(from.getYieldedValues()[index]));
}

void RotatedLoopBuilder::mapEarlyNext(IRMapping &next, const IRMapping &values) const {
  scf::ForOp from = loop;
  for (unsigned index : neededArguments) {
    Value yielded = from.getYieldedValues()[index];
    if (!late.contains(yielded.getDefiningOp()))
      next.map(from.getRegionIterArg(index), values.lookupOrDefault(yielded));
  }
}

void RotatedLoopBuilder::cloneRest(IRMapping &values, const Buffers &buffers) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (!late.contains(&op) && !llvm::is_contained(schedule.earlyOps, &op))
      cloneStep(op, values, buffers);
}

void RotatedLoopBuilder::cloneLate(IRMapping &values, const Buffers &buffers) {
  // Reads of copies are repeated where they are used.
  for (const AheadLoad &ahead : schedule.loads)
    cloneStep(*ahead.load, values, buffers);
  for (Operation *op : schedule.lateOps)
    cloneStep(*op, values, buffers);
}

/// Carried: what crosses from one iteration to the next, the buffers that the
/// late part reads, what addresses need, the block to copy to next, and the
/// copies in flight.
LoopBuilder::Values RotatedLoopBuilder::buildLoop() {
  findCrossing();
  bool copies = !schedule.loads.empty();
  Values ready;
  if (copies)
    ready = awaitNext(pending);
  pending.erase(pending.begin(), pending.begin() + ready.size());
  IRMapping first;
  first.map(loop.getInductionVar(), loop.getLowerBound());
  for (unsigned index : neededArguments)
    first.map(loop.getRegionIterArg(index), loop.getInits()[index]);
  Buffers buffers = mapBuffers(ready);
  for (Operation *op : schedule.earlyOps)
    cloneStep(*op, first, buffers);
  cloneRest(first, buffers);

  Values inits = getCrossing(first);
  llvm::append_range(inits, ready);
  llvm::append_range(inits, carriedAhead);
  inits.push_back(createInt(b.getI32Type(), ahead));
  llvm::append_range(inits, pending);
  // The second iteration's number, which may not exist, even as a number.
  Value hasSecond =
      arith::AndIOp::create(b, isEntered, hasIteration(b, loop, loop.getLowerBound(), 1));
  Value lower = arith::SelectOp::create(b, hasSecond, advance(b, loop, loop.getLowerBound(), 1),
                                        loop.getUpperBound());
  scf::ForOp newLoop = createLoop(lower, inits, [&](Value induction, ValueRange arguments) {
    buildBody(induction, arguments);
  });

  // The late part of the last iteration. Where there was none, nothing changed.
  ValueRange results = newLoop.getResults();
  if (copies)
    AwaitOp::create(b, results.take_back(pending.size()), 0);
  IRMapping last, end;
  mapCrossing(last, results.take_front(crossing.size()));
  cloneLate(last, mapBuffers(results.slice(crossing.size(), ready.size())));
  mapNext(end, last);
  return llvm::map_to_vector(neededArguments, [&](unsigned index) -> Value {
    Value value = end.lookup(loop.getRegionIterArg(index));
    return arith::SelectOp::create(b, isEntered, value, loop.getInits()[index]);
  });
}

void RotatedLoopBuilder::buildBody(Value induction, ValueRange arguments) {
  auto take = [&](size_t count) {
    ValueRange taken = arguments.take_front(count);
    arguments = arguments.drop_front(count);
    return taken;
  };
  ValueRange crossed = take(crossing.size()), ready = take(schedule.loads.size());
  ValueRange advanced = take(carriedAhead.size());
  Value slot = take(1).front();
  ValueRange inFlight = arguments;
  Values nextReady, started;
  if (!schedule.loads.empty()) {
    nextReady = awaitNext(inFlight);
    // Copies count from the iteration whose late part this is.
    started = startNext(induction, ahead - 1, advanced, slot);
  }

  IRMapping values, next;
  next.map(loop.getInductionVar(), induction);
  mapCrossing(values, crossed);
  mapEarlyNext(next, values);
  Buffers nextBuffers = mapBuffers(nextReady);
  for (Operation *op : schedule.earlyOps)
    cloneStep(*op, next, nextBuffers);
  cloneLate(values, mapBuffers(ready));
  mapNext(next, values);
  cloneRest(next, nextBuffers);

  Values yielded = getCrossing(next);
  llvm::append_range(yielded, nextReady);
  llvm::append_range(yielded, carriedAhead);
  yielded.push_back(slot);
  llvm::append_range(yielded, inFlight.drop_front(schedule.loads.size()));
  llvm::append_range(yielded, started);
  createYield(yielded);
}
