//===- Nest.cpp - The loops of one nest -----------------------------------===//
//
// Outer dimensions are loops over single elements, the lane dimension is a loop
// over chunks, in up to two parts: lanes that need no mask, then the rest. An
// axis of reduction that is not the lane dimension is the innermost loop.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

/// Operations per element from which on a loop body is large.
static constexpr unsigned kLargeBody = 24;

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

void Nest::setInsertionPoint(unsigned level) {
  auto [block, before] = levels[std::max(level, floor)];
  if (before)
    builder.setInsertionPoint(before);
  else if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
    builder.setInsertionPoint(&block->back());
  else
    builder.setInsertionPointToEnd(block);
}

scf::ForOp Nest::openLoop(Value lower, Value upper, int64_t step, ValueRange carried) {
  setInsertionPoint(getInnermost());
  auto loop = scf::ForOp::create(builder, loc, lower, upper, emitter.getIndex(step), carried);
  levels.back().before = loop;
  levels.push_back({loop.getBody(), nullptr});
  mappedPoints.clear(); // they hold indices, one of which is about to change
  return loop;
}

void Nest::closeLoop(ValueRange carried) {
  if (!carried.empty()) {
    setInsertionPoint(getInnermost());
    scf::YieldOp::create(builder, loc, carried);
  }
  levels.pop_back();
  levels.back().before = nullptr;
  setInsertionPoint(getInnermost());
  values.clear(); // some of them lived in the loop
  strides.clear();
  mappedPoints.clear();
}

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

/// Operations per element that a loop body computes, apart from addresses and
/// masks: most lanes share those.
unsigned Nest::getWork(Value value, DenseSet<Value> &visited) {
  Operation *op = value.getDefiningOp();
  Buffer *buffer = emitter.getPlan().getBuffer(value);
  if (!op || !isVirtual(op) || (buffer && !current->writes(value, buffer)) ||
      !visited.insert(value).second)
    return 0;
  unsigned work = getCost(op);
  if (isBlock(value) && getByteWidth(getMemoryType(getElementType(value.getType()))) == 8)
    work *= 2;
  if (isa<LoadOp>(op))
    return work;
  for (Value operand : op->getOperands())
    work += getWork(operand, visited);
  return work;
}

/// Wide chunks spare a small body the costs of a loop, and are split into as many
/// instructions as it takes: a large body does with narrow ones. What is summed
/// along lanes has the fixed width.
int64_t Nest::chooseWidth(const Group &group) {
  int64_t widest = getChunkWidth(group.shape[laneDim]);
  DenseSet<Value> visited;
  unsigned work = 0;
  for (const Root &root : group.roots) {
    if (root.value)
      work += getWork(root.value, visited);
    else if (auto store = dyn_cast<StoreOp>(root.op))
      work += getWork(store.getValue(), visited);
    else
      for (Value operand : root.op->getOperands())
        work += getWork(operand, visited);
  }
  isLarge = work > kLargeBody;
  if (group.axis == laneDim)
    return widest;
  int64_t limit = work > kLargeBody ? kChunk / 4 : work > kLargeBody / 2 ? kChunk / 2 : kChunk;
  return std::min(widest, limit);
}

void Nest::emit(const Group &group) {
  current = &group;
  laneDim = group.laneDim;
  width = laneDim < 0 ? 1 : chooseWidth(group);
  for (size_t dim = 0; dim < group.shape.size(); ++dim)
    position.push_back({emitter.getIndex(0), nullptr, false, 0, 0});
  emitOuterLoops(group);
  if (laneDim >= 0) {
    emitLaneLoops(group);
  } else {
    Accumulators results = emitBody(group, getInitial(group));
    finishAcrossLanes(group, results);
  }
  while (getInnermost() > 0)
    closeLoop({});
}

void Nest::emitOuterLoops(const Group &group) {
  for (int dim = 0; dim < static_cast<int>(group.shape.size()); ++dim) {
    if (dim == laneDim || dim == group.axis || group.shape[dim] == 1)
      continue;
    scf::ForOp loop =
        openLoop(emitter.getIndex(0), emitter.getIndex(group.shape[dim]), 1, ValueRange());
    position[dim] = {loop.getInductionVar(), nullptr, false, getInnermost(), 1};
  }
}

void Nest::emitLaneLoops(const Group &group) {
  int64_t size = group.shape[laneDim];
  bool alongLanes = group.axis == laneDim;
  Accumulators accumulators;
  if (alongLanes)
    accumulators = getInitial(group);
  position[laneDim] = {emitter.getIndex(0), nullptr, true, getInnermost(), width};
  std::optional<Split> split = findSplit(group);
  Value lower = emitter.getIndex(0);
  if (alongLanes && size > width && startsFromElements(group)) {
    accumulators = emitBody(group, accumulators);
    values.clear(); // of the first chunk
    hasFirstChunk = true;
    lower = emitter.getIndex(width);
  }
  if (split) {
    accumulators = emitLaneLoop(group, lower, split->full, false, accumulators);
    lower = split->full;
    if (hasFirstChunk) {
      setInsertionPoint(getInnermost());
      lower = arith::MaxSIOp::create(builder, loc, lower, emitter.getIndex(width));
    }
    accumulators = emitLaneLoop(group, lower, split->end, true, accumulators);
  } else if (size == width) {
    position[laneDim].level = 0; // the same lanes in all iterations of the outer loops
    accumulators = emitBody(group, accumulators);
    if (!alongLanes)
      finishAcrossLanes(group, accumulators);
  } else {
    accumulators = emitLaneLoop(group, lower, emitter.getIndex(size), false, accumulators);
  }
  hasFirstChunk = false;
  rangeTerms.clear();
  bounds.clear();
  if (alongLanes)
    finishAlongLanes(group, accumulators);
}

/// The chunks from `lower` to `upper`. The unmasked part takes its range terms
/// for true; the masked part also guards the lanes beyond the block.
Nest::Accumulators Nest::emitLaneLoop(const Group &group, Value lower, Value upper, bool isMasked,
                                      Accumulators accumulators) {
  bool alongLanes = group.axis == laneDim;
  if (lower == upper)
    return accumulators; // both are one constant
  scf::ForOp loop = openLoop(lower, upper, width, accumulators);
  position[laneDim] = {loop.getInductionVar(), nullptr, true, getInnermost(), width};
  areMasksTrue = !isMasked;
  int64_t size = group.shape[laneDim];
  if (isMasked && size % width != 0) {
    setInsertionPoint(getInnermost());
    Value left =
        arith::SubIOp::create(builder, loc, emitter.getIndex(size), position[laneDim].base);
    Value limit = vector::BroadcastOp::create(builder, loc, getVector(left.getType()), left);
    tailMask = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     getIota(left.getType()), limit);
  }
  Accumulators next = emitBody(group, Accumulators(loop.getRegionIterArgs()));
  if (!alongLanes)
    finishAcrossLanes(group, next);
  tailMask = nullptr;
  areMasksTrue = false;
  closeLoop(alongLanes ? ValueRange(next) : ValueRange());
  return Accumulators(loop.getResults());
}

/// One chunk of all rows of the axis of reduction, or one chunk.
Nest::Accumulators Nest::emitBody(const Group &group, Accumulators accumulators) {
  bool hasInnerLoop = group.axis >= 0 && group.axis != laneDim && group.shape[group.axis] > 1;
  if (group.axis >= 0 && group.axis != laneDim)
    accumulators = getInitial(group);
  if (!hasInnerLoop)
    return emitElements(group, accumulators);
  scf::ForOp loop =
      openLoop(emitter.getIndex(0), emitter.getIndex(group.shape[group.axis]), 1, accumulators);
  position[group.axis] = {loop.getInductionVar(), nullptr, false, getInnermost(), 1};
  Accumulators next = emitElements(group, Accumulators(loop.getRegionIterArgs()));
  closeLoop(next);
  return Accumulators(loop.getResults());
}

/// What a root needs at one position.
Nest::Inputs Nest::evaluateInputs(const Root &root) {
  Inputs inputs;
  if (root.value) {
    inputs.operands.push_back(evaluate(root.value, position));
  } else if (auto reduce = dyn_cast<ReduceOp>(root.op)) {
    for (Value source : reduce.getSources())
      inputs.operands.push_back(evaluate(source, position));
  } else if (auto store = dyn_cast<StoreOp>(root.op)) {
    inputs.operands.push_back(evaluate(store.getValue(), position));
    inputs.mask = getAccessMask(store.getMask(), position);
    inputs.address = resolve(store.getPointer(), position);
  } else {
    for (Value operand : root.op->getOperands())
      inputs.operands.push_back(evaluate(operand, position));
    inputs.mask = getAccessMask(getAtomicAccess(root.op)->mask, position);
  }
  return inputs;
}

/// Everything at one position: values first, then effects in program order, so
/// that each root reads what was there before.
Nest::Accumulators Nest::emitElements(const Group &group, Accumulators accumulators) {
  SmallVector<Inputs, 2> inputs;
  for (const Root &root : group.roots)
    inputs.push_back(evaluateInputs(root));
  setInsertionPoint(getInnermost());
  MutableArrayRef<Value> next(accumulators);
  for (auto [root, input] : llvm::zip(group.roots, inputs)) {
    if (auto reduce = dyn_cast_or_null<ReduceOp>(root.op)) {
      combine(reduce, input.operands, next.take_front(input.operands.size()));
      next = next.drop_front(input.operands.size());
    } else if (root.value) {
      storeBuffer(*root.buffer, getElementType(root.value.getType()), input.operands.front(),
                  position, root.isUnsigned);
    } else if (auto store = dyn_cast<StoreOp>(root.op)) {
      mayStream = laneDim >= 0 && !input.mask && emitter.mayStream(store);
      storeLanes(*input.address, getElementType(store.getValue().getType()), input.operands.front(),
                 input.mask);
      mayStream = false;
    } else if (auto assembly = dyn_cast<InlineAsmOp>(root.op)) {
      emitAssembly(assembly, input.operands);
    } else {
      emitAtomic(root.op, input.operands, input.mask);
    }
  }
  return accumulators;
}
