//===- LoopBuilder.cpp - Write a loop whose loads run ahead ---------------===//
#include "compiler/transforms/PipelineLoops/LoopBuilder.h"

#include "compiler/analysis/LoopSlice/LoopSlice.h"
#include "compiler/analysis/ThreadCopies/ThreadCopies.h"
#include "compiler/analysis/UniformMask/UniformMask.h"
#include "compiler/transforms/PipelineLoops/Prologue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile;

LoopBuilder::LoopBuilder(scf::ForOp loop, const Schedule &schedule)
    : loop(loop), schedule(schedule), b(loop.getLoc(), loop), ahead(schedule.ahead) {
  for (const AheadLoad &load : schedule.loads)
    copied.insert(load.load);
}

void LoopBuilder::run() {
  findNeeded();
  b.setInsertionPoint(findPrologueStart(loop, schedule));
  allocate();
  buildPrologue();
  b.setInsertionPoint(loop);
  Values results = schedule.usesRings ? buildIfEntered() : buildLoop();
  for (auto [index, result] : llvm::zip(neededArguments, results))
    loop.getResult(index).replaceAllUsesWith(result);
  loop.erase();
}

/// All of it, or nothing; copies have been started even so.
LoopBuilder::Values LoopBuilder::buildIfEntered() {
  Values inits = llvm::map_to_vector(
      neededArguments, [&](unsigned index) -> Value { return loop.getInits()[index]; });
  auto branch =
      scf::IfOp::create(b, TypeRange(ValueRange(inits)), isEntered, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.elseBlock());
  AwaitOp::create(b, pending, 0);
  scf::YieldOp::create(b, inits);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, buildLoop());
  return Values(branch.getResults());
}

//===----------------------------------------------------------------------===//
// What the rest of the body still needs
//===----------------------------------------------------------------------===//

void LoopBuilder::need(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
      return;
    unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
    if (neededIndices.insert(index).second)
      need(loop.getYieldedValues()[index]);
    return;
  }
  Operation *op = loop.getBody()->findAncestorOpInBlock(*value.getDefiningOp());
  if (!op || !neededOps.insert(op).second)
    return;
  if (copied.contains(op)) {
    if (Value other = getOtherThanZero(cast<LoadOp>(op))) {
      need(other);
      need(cast<LoadOp>(op).getMask());
    }
    return;
  }
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      need(operand);
  });
}

/// Pointers that only the copies advance are not carried twice.
void LoopBuilder::findNeeded() {
  for (auto [index, result] : llvm::enumerate(loop.getResults()))
    if (!result.use_empty())
      need(loop.getRegionIterArg(index));
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isMemoryEffectFree(&op) && !copied.contains(&op) && !isOpTriviallyDead(&op)) {
      neededOps.insert(&op);
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          need(operand);
      });
    }
  neededArguments.assign(neededIndices.begin(), neededIndices.end());
  llvm::sort(neededArguments);
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

Value LoopBuilder::createInt(Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void LoopBuilder::allocate() {
  for (AheadLoad load : schedule.loads) {
    SmallVector<int64_t> shape{schedule.stages - (load.reusesBlock ? 1 : 0)};
    llvm::append_range(shape, load.block.getShape());
    b.setLoc(load.load.getLoc());
    stacks.push_back(BufferAllocOp::create(
        b,
        BufferType::get(b.getContext(), shape, load.block.getElementType(), load.block.getLayout()),
        IntegerAttr()));
  }
  b.setLoc(loop.getLoc());
}

/// The copies of one iteration. Masked each for itself, unless `isWhole`.
LoopBuilder::Values LoopBuilder::emitCopies(IRMapping &values, Value slot, Value isValid,
                                            bool isWhole) {
  Values copies;
  for (auto [load, stack] : llvm::zip(schedule.loads, stacks)) {
    LoadOp op = load.load;
    b.setLoc(op.getLoc());
    bool reuses = isInLoop && load.reusesBlock;
    Value view = reuses ? awaited.lookup(op.getResult())
                        : Value(BufferViewOp::create(b, load.block, stack, slot));
    auto carried = llvm::find(carriedAddresses, op.getPointer()) - carriedAddresses.begin();
    bool isCarried = carried < static_cast<int64_t>(addresses.size());
    Value pointer = isCarried ? addresses[carried] : values.lookupOrDefault(op.getPointer());
    Value mask;
    if (!isWhole) {
      mask = op.getMask() ? values.lookupOrDefault(op.getMask()) : Value();
      mask = createMask(b, mask, pointer.getType(), isValid);
    } else if (op.getMask() && !mayBeAllTrue(op.getMask())) {
      for (Value part : getConjuncts(op.getMask())) {
        Value own = values.lookupOrDefault(part);
        if (isSteady(part))
          mask = mask ? Value(arith::AndIOp::create(b, mask, own)) : own;
      }
    }
    auto copy = AsyncCopyOp::create(b, PendingType::get(load.block), pointer, view, mask,
                                    op.getCache(), op.getEviction());
    if (isInLoop && schedule.startsCopies)
      copy->setAttr(reuses ? kReadBlockAttr : kPreviousBlockAttr, b.getUnitAttr());
    copies.push_back(copy);
  }
  b.setLoc(loop.getLoc());
  return copies;
}

/// Whether `value` is the same in all iterations.
bool LoopBuilder::isSteady(Value value) const {
  scf::ForOp around = loop;
  SetVector<Value> parts;
  parts.insert(value);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (around.isDefinedOutsideOfLoop(parts[i]))
      continue;
    Operation *op = parts[i].getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return false;
    parts.insert_range(op->getOperands());
  }
  return true;
}

/// Whether numbers tell that masks are true, but for parts of them that are the same in all
/// iterations.
bool LoopBuilder::canBranch() const {
  return llvm::all_of(schedule.loads, [&](const AheadLoad &load) {
    Value mask = LoadOp(load.load).getMask();
    return !mask || mayBeAllTrue(mask) || llvm::all_of(getConjuncts(mask), [&](Value part) {
      return isSteady(part) || mayBeAllTrue(part);
    });
  });
}

/// Whether the iteration exists and all masks are true, but for such parts; null if numbers do not
/// tell.
Value LoopBuilder::createIsWhole(IRMapping &values, Value isValid) {
  Value isWhole = isValid;
  for (const AheadLoad &load : schedule.loads) {
    Value mask = LoadOp(load.load).getMask();
    if (!mask)
      continue;
    bool isDecided = mayBeAllTrue(mask);
    for (Value part : isDecided ? SmallVector<Value>{mask} : getConjuncts(mask))
      if (isDecided || !isSteady(part)) {
        Value allTrue = createIsAllTrue(b, values.lookupOrDefault(part));
        if (!allTrue)
          return {};
        isWhole = arith::AndIOp::create(b, isWhole, allTrue);
      }
  }
  return isWhole;
}

/// Addresses that are computed in a branch cannot come before the products ahead
/// of it, which wait for nothing but their turn.
IRMapping LoopBuilder::cloneAddresses(const IRMapping &values) {
  IRMapping own = values;
  if (llvm::any_of(schedule.addressOps, llvm::IsaPred<LoadOp>))
    return own;
  for (Operation *op : schedule.addressOps)
    for (Value result : op->getResults())
      own.erase(result);
  for (Operation *op : schedule.addressOps)
    b.clone(*op, own);
  return own;
}

/// Whether `pointers` lie by one number behind others that `loop` does not change: then an addition
/// for each copy is all that there is to compute.
static bool isUniformSum(scf::ForOp loop, Value pointers) {
  auto sum = skipHints(pointers).getDefiningOp<AddPtrOp>();
  return sum && sum.getOffset().getDefiningOp<SplatOp>() &&
         loop.isDefinedOutsideOfLoop(sum.getPointer());
}

/// Products that are at work take the registers' bandwidth: what is computed between them and the
/// copies behind them takes long, and copies come late. So where copies branch, which keeps
/// assemblers from moving that back, addresses that take some computing are for the next iteration.
void LoopBuilder::findCarriedAddresses() {
  if (!schedule.completesLater || !canBranch() ||
      llvm::any_of(schedule.addressOps, llvm::IsaPred<LoadOp>))
    return;
  for (const AheadLoad &load : schedule.loads)
    if (Value pointer = LoadOp(load.load).getPointer(); !isUniformSum(loop, pointer))
      carriedAddresses.push_back(pointer);
}

/// Those of the iteration `distance` steps after `induction`, which may not exist; `carriedAhead`
/// are its values.
LoopBuilder::Values LoopBuilder::computeAddresses(Value induction, int64_t distance) {
  if (carriedAddresses.empty())
    return {};
  IRMapping values;
  values.map(loop.getInductionVar(), advance(b, loop, induction, distance));
  for (auto [value, index] : llvm::zip(carriedAhead, schedule.carried))
    values.map(loop.getRegionIterArg(index), value);
  for (Operation *op : schedule.addressOps)
    b.clone(*op, values);
  return llvm::map_to_vector(carriedAddresses,
                             [&](Value pointer) { return values.lookupOrDefault(pointer); });
}

/// Nearly all iterations are whole: their copies need no predicates.
LoopBuilder::Values LoopBuilder::createCopies(IRMapping &values, Value slot, Value isValid,
                                              bool branches) {
  Value isWhole = branches && canBranch() ? createIsWhole(values, isValid) : Value();
  if (!isWhole)
    return emitCopies(values, slot, isValid, /*isWhole=*/false);
  SmallVector<Type> types = llvm::map_to_vector(
      schedule.loads, [](const AheadLoad &load) -> Type { return PendingType::get(load.block); });
  auto branch = scf::IfOp::create(b, types, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool whole : {true, false}) {
    b.setInsertionPointToEnd(whole ? branch.thenBlock() : branch.elseBlock());
    IRMapping own = cloneAddresses(values);
    scf::YieldOp::create(b, emitCopies(own, slot, isValid, whole));
  }
  return Values(branch.getResults());
}

LoopBuilder::Values LoopBuilder::startCopies(IRMapping &values, Value slot, Value isValid,
                                             bool branches) {
  for (Operation *op : schedule.addressOps) {
    auto copy = b.clone(*op, values);
    auto index = dyn_cast<LoadOp>(copy);
    if (!index)
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(copy);
    Value mask = createMask(b, index.getMask(), index.getPointer().getType(), isValid);
    Value other = index.getOther();
    copy->setOperands({index.getPointer(), mask});
    if (other)
      copy->insertOperands(2, other);
    index.getProperties().setOperandSegmentSizes({1, 1, other ? 1 : 0});
  }
  Values copies = createCopies(values, slot, isValid, branches);
  b.setLoc(loop.getLoc());
  for (auto [value, index] : llvm::zip(carriedAhead, schedule.carried))
    value = values.lookupOrDefault(loop.getYieldedValues()[index]);
  auto commit = CommitOp::create(b, copies);
  return Values(commit.getCommitted());
}

void LoopBuilder::buildPrologue() {
  for (unsigned index : schedule.carried)
    carriedAhead.push_back(loop.getInits()[index]);
  Value lower = loop.getLowerBound();
  isEntered = tile::isEntered(b, loop);
  for (int64_t step = 0; step < ahead; ++step) {
    IRMapping values;
    values.map(loop.getInductionVar(), advance(b, loop, lower, step));
    for (auto [value, index] : llvm::zip(carriedAhead, schedule.carried))
      values.map(loop.getRegionIterArg(index), value);
    Value isValid = isEntered;
    if (step != 0)
      isValid = arith::AndIOp::create(b, isEntered, hasIteration(b, loop, lower, step));
    llvm::append_range(pending, startCopies(values, createInt(b.getI32Type(), step), isValid,
                                            /*branches=*/false));
  }
}

LoopBuilder::Values LoopBuilder::startNext(Value induction, int64_t distance, ValueRange advanced,
                                           Value &slot) {
  IRMapping later;
  later.map(loop.getInductionVar(), advance(b, loop, induction, distance));
  isInLoop = true;
  for (auto [index, value] : llvm::zip(schedule.carried, advanced))
    later.map(loop.getRegionIterArg(index), value);
  Values started =
      startCopies(later, slot, hasIteration(b, loop, induction, distance), /*branches=*/true);
  Value next = arith::AddIOp::create(b, slot, createInt(b.getI32Type(), 1));
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next,
                                       createInt(b.getI32Type(), schedule.stages));
  slot = arith::SelectOp::create(b, isLast, createInt(b.getI32Type(), 0), next);
  return started;
}

LoopBuilder::Values LoopBuilder::awaitNext(ValueRange inFlight) {
  size_t loads = schedule.loads.size();
  auto await = AwaitOp::create(b, inFlight.take_front(loads), inFlight.size() / loads - 1);
  return Values(await.getValues());
}

LoopBuilder::Buffers LoopBuilder::mapBuffers(ValueRange buffers) {
  Buffers map;
  for (auto [load, buffer] : llvm::zip(schedule.loads, buffers)) {
    LoadOp op = load.load;
    map[op.getResult()] = buffer;
  }
  return map;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

void LoopBuilder::cloneStep(Operation &op, IRMapping &values, const Buffers &buffers) {
  if (!neededOps.contains(&op))
    return;
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    if (Value buffer = buffers.lookup(convert.getSource());
        buffer && !getOtherThanZero(convert.getSource().getDefiningOp<LoadOp>())) {
      b.setLoc(convert.getLoc());
      values.map(convert.getResult(), BufferLoadOp::create(b, convert.getType(), buffer));
      return;
    }
  if (copied.contains(&op))
    readCopy(cast<LoadOp>(op), values, buffers);
  else
    b.clone(op, values);
}

void LoopBuilder::readCopy(LoadOp load, IRMapping &values, const Buffers &buffers) {
  Value other = getOtherThanZero(load);
  bool isUsedAsLoaded = other || !llvm::all_of(load->getUsers(), [&](Operation *user) {
                          return isa<ConvertLayoutOp>(user) && user->getBlock() == loop.getBody();
                        });
  if (!isUsedAsLoaded)
    return;
  b.setLoc(load.getLoc());
  Value read = BufferLoadOp::create(b, load.getType(), buffers.lookup(load.getResult()));
  if (other)
    read = arith::SelectOp::create(b, values.lookupOrDefault(load.getMask()), read,
                                   values.lookupOrDefault(other));
  values.map(load.getResult(), read);
}

/// Where copies go next begins behind those of the prologue.
scf::ForOp LoopBuilder::createLoop(Value lower, ValueRange inits,
                                   function_ref<void(Value, ValueRange)> buildBody) {
  auto created = scf::ForOp::create(
      b, lower, loop.getUpperBound(), loop.getStep(), inits,
      [&](OpBuilder &, Location, Value, ValueRange) {}, loop.getUnsignedCmp());
  created->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  created->removeDiscardableAttr(kNumStagesAttr);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(created.getBody());
  buildBody(created.getInductionVar(), created.getRegionIterArgs());
  b.setLoc(loop.getLoc());
  return created;
}

void LoopBuilder::createYield(ValueRange values) {
  b.setLoc(loop.getBody()->getTerminator()->getLoc());
  scf::YieldOp::create(b, values);
}

/// Carried: what the rest needs, what addresses need, those that are computed ahead, the block to
/// copy to next, and the copies in flight.
LoopBuilder::Values LoopBuilder::buildLoop() {
  Values inits = llvm::map_to_vector(
      neededArguments, [&](unsigned index) -> Value { return loop.getInits()[index]; });
  llvm::append_range(inits, carriedAhead);
  findCarriedAddresses();
  llvm::append_range(inits, computeAddresses(loop.getLowerBound(), ahead));
  inits.push_back(createInt(b.getI32Type(), ahead));
  llvm::append_range(inits, pending);
  scf::ForOp newLoop =
      createLoop(loop.getLowerBound(), inits,
                 [&](Value induction, ValueRange arguments) { buildBody(induction, arguments); });
  if (schedule.completesLater)
    newLoop->setAttr(kDotsInFlightAttr, b.getI32IntegerAttr(1));
  // The last copies wrote nothing that is read, but they must have written it
  // before something else uses the memory.
  AwaitOp::create(b, newLoop.getResults().take_back(pending.size()), 0);
  return Values(newLoop.getResults().take_front(neededArguments.size()));
}

void LoopBuilder::buildBody(Value induction, ValueRange arguments) {
  ValueRange kept = arguments.take_front(neededArguments.size());
  ValueRange advanced = arguments.slice(kept.size(), carriedAhead.size());
  addresses = arguments.slice(kept.size() + advanced.size(), carriedAddresses.size());
  Value slot = arguments[kept.size() + advanced.size() + addresses.size()];
  ValueRange inFlight = arguments.take_back(pending.size());
  Buffers buffers = awaited = mapBuffers(awaitNext(inFlight));
  Values started;
  if (!schedule.completesLater && !schedule.startsCopies)
    started = startNext(induction, ahead, advanced, slot);

  IRMapping values;
  values.map(loop.getInductionVar(), induction);
  for (auto [index, value] : llvm::zip(neededArguments, kept))
    values.map(loop.getRegionIterArg(index), value);
  for (Operation &op : loop.getBody()->without_terminator()) {
    cloneStep(op, values, buffers);
    if (&op == schedule.startsCopies)
      started = startNext(induction, ahead, advanced, slot);
  }
  if (schedule.completesLater)
    started = startNext(induction, ahead, advanced, slot);

  Values yielded = llvm::map_to_vector(neededArguments, [&](unsigned index) -> Value {
    return values.lookupOrDefault(loop.getYieldedValues()[index]);
  });
  llvm::append_range(yielded, carriedAhead);
  llvm::append_range(yielded, computeAddresses(induction, ahead + 1));
  yielded.push_back(slot);
  llvm::append_range(yielded, inFlight.drop_front(schedule.loads.size()));
  llvm::append_range(yielded, started);
  createYield(yielded);
}
