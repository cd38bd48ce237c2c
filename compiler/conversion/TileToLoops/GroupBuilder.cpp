//===- GroupBuilder.cpp - Roots into loop nests, in program order ---------===//
#include "compiler/conversion/TileToLoops/GroupBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void GroupBuilder::visitBlock(Block &block) {
  close();
  for (Operation &op : block.without_terminator())
    visitOp(&op);
}

void GroupBuilder::visitOp(Operation *op) {
  // A nest stands where its last root stands, so a load below a write must not
  // find that write still waiting.
  if (openWrites && isa<LoadOp>(op))
    close();
  llvm::TypeSwitch<Operation *>(op)
      .Case<ReduceOp>([&](auto reduce) { visitReduce(reduce); })
      .Case<DotOp>([&](auto dot) { visitDot(dot); })
      .Case<ScanOp>([&](auto scan) { visitScan(scan); })
      .Case<SortOp>([&](auto sort) { visitSort(sort); })
      .Case<HistogramOp>([&](auto histogram) { visitHistogram(histogram); })
      .Case<scf::ForOp>([&](auto loop) { visitFor(loop); })
      .Case<scf::IfOp>([&](auto branch) { visitIf(branch); })
      .Case<scf::WhileOp>([&](auto loop) { visitWhile(loop); })
      .Case<StoreOp, AtomicRMWOp, AtomicCASOp, AtomicLoadOp, AtomicStoreOp>(
          [&](Operation *effect) { visitEffect(effect); })
      .Case<InlineAsmOp>([&](auto assembly) { visitAssembly(assembly); })
      .Default([&](Operation *other) {
        if (!isVirtual(other))
          visitScalar(other);
        else if (writesMemory(other))
          close(); // a volatile load stays in order
      });
}

/// Operations that are executed where they stand. A block that one of them
/// needs (to print it, say) is kept in memory.
void GroupBuilder::visitScalar(Operation *op) {
  for (Value operand : op->getOperands())
    if (isBlock(operand))
      keepAtDefinition(operand);
  if (open && (writesMemory(op) || dependsOnOpen(op->getOperands())))
    close();
}

void GroupBuilder::visitReduce(ReduceOp op) {
  for (Value result : op.getReduced())
    if (isBlock(result))
      plan.buffers[result] =
          plan.createBuffer(getElementType(result.getType()), getShape(result.getType()));
  addRoot({op}, op, getShape(op.getSources().front().getType()), op.getAxis(), op.getSources());
}

void GroupBuilder::visitEffect(Operation *op) {
  Type pointer = op->getOperand(0).getType();
  if (!isa<RankedTensorType>(pointer))
    return visitScalar(op);
  for (Value result : op->getResults())
    if (!result.use_empty())
      plan.buffers[result] =
          plan.createBuffer(getElementType(result.getType()), getShape(result.getType()));
  addRoot({op}, op, getShape(pointer), /*axis=*/-1, op->getOperands());
}

/// Assembly with effects runs once for each element, where it stands.
void GroupBuilder::visitAssembly(InlineAsmOp op) {
  Value result = op.getMapped().front();
  if (op.getIsPure() && isBlock(result))
    return;
  if (!isBlock(result))
    return visitScalar(op);
  for (Value result : op.getMapped())
    if (!result.use_empty())
      plan.buffers[result] =
          plan.createBuffer(getElementType(result.getType()), getShape(result.getType()));
  addRoot({op}, op, getShape(result.getType()), /*axis=*/-1, op.getSources());
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

const GroupBuilder::Leaves &GroupBuilder::getLeaves(Value value) {
  auto found = leaves.find(value);
  if (found != leaves.end())
    return found->second;
  Leaves result;
  Operation *op = value.getDefiningOp();
  if (!op || !isVirtual(op)) {
    result.insert(value);
  } else {
    if (isa<LoadOp>(op))
      result.insert(value);
    for (Value operand : op->getOperands()) {
      const Leaves &below = getLeaves(operand);
      result.insert(below.begin(), below.end());
    }
  }
  return leaves[value] = std::move(result);
}

bool GroupBuilder::dependsOnOpen(ValueRange inputs) {
  return open && llvm::any_of(inputs, [&](Value input) {
           return llvm::any_of(getLeaves(input), [&](Value leaf) {
             return llvm::any_of(open->roots, [&](const Root &root) {
               return root.op && root.op == leaf.getDefiningOp();
             });
           });
         });
}

/// Whether two writes of one nest could touch one address from different lanes.
static bool mayOverlap(Operation *a, Operation *b) {
  if (isa<InlineAsmOp>(a) || isa<InlineAsmOp>(b))
    return true;
  if (a->getOperand(0) == b->getOperand(0))
    return false;
  Value first = getBasePointer(a->getOperand(0)), second = getBasePointer(b->getOperand(0));
  return !first || !second || first == second;
}

bool GroupBuilder::canJoin(Operation *op, ArrayRef<int64_t> shape, int axis, ValueRange inputs) {
  if (!open || ArrayRef(open->shape) != shape ||
      (axis >= 0 && open->axis >= 0 && axis != open->axis))
    return false;
  if (dependsOnOpen(inputs))
    return false;
  bool isWrite = op && writesMemory(op);
  return !isWrite || llvm::none_of(open->roots, [&](const Root &root) {
    return root.op && writesMemory(root.op) && mayOverlap(root.op, op);
  });
}

void GroupBuilder::addRoot(Root root, Operation *anchor, ArrayRef<int64_t> shape, int axis,
                           ValueRange inputs) {
  if (!canJoin(root.op, shape, axis, inputs)) {
    open = plan.createGroup(anchor, shape);
    openWrites = false;
  }
  openWrites |= root.op && writesMemory(root.op);
  open->roots.push_back(root);
  open->anchor = anchor;
  open->position = plan.positions[anchor];
  open->axis = std::max(open->axis, axis);
}

void GroupBuilder::addWrite(Value value, Buffer *buffer, Operation *anchor, bool isUnsigned) {
  addRoot({nullptr, value, buffer, isUnsigned}, anchor, getShape(value.getType()), /*axis=*/-1,
          value);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

Buffer *GroupBuilder::enterCarried(Value init, Operation *loop) {
  if (!isBlock(init))
    return nullptr;
  if (Buffer *own = plan.getBuffer(init); own && diesIn(init, loop))
    return own;
  Buffer *buffer = plan.createBuffer(getElementType(init.getType()), getShape(init.getType()));
  addWrite(init, buffer, loop);
  return buffer;
}

namespace {
/// Collects the buffers that a value is computed from, and whether each lane reads
/// only itself there.
struct BufferReads {
  explicit BufferReads(const Plan &plan) : plan(plan) {}
  const Plan &plan;
  DenseMap<Buffer *, bool> reads;
  DenseSet<std::pair<Value, unsigned>> visited;

  void collect(Value value, bool isLaneByLane) {
    if (!visited.insert({value, isLaneByLane}).second)
      return;
    if (Buffer *buffer = plan.getBuffer(value)) {
      auto [entry, isNew] = reads.try_emplace(buffer, isLaneByLane);
      entry->second &= isLaneByLane;
      return;
    }
    Operation *op = value.getDefiningOp();
    if (!op || !isVirtual(op))
      return;
    for (Value operand : op->getOperands())
      collect(operand, isLaneByLane && !isShapeChange(op));
  }
};
} // namespace

void GroupBuilder::keepAtDefinition(Value value) {
  if (plan.getBuffer(value))
    return;
  if (dependsOnOpen(value))
    close();
  plan.keep(value);
}

void GroupBuilder::passCarried(Operation *terminator, ValueRange values,
                               ArrayRef<Buffer *> targets) {
  SmallVector<unsigned> pending;
  for (auto [index, value] : llvm::enumerate(values))
    if (targets[index] && plan.getBuffer(value) != targets[index])
      pending.push_back(index);
  for (unsigned index : pending) {
    BufferReads found(plan);
    found.collect(values[index], /*isLaneByLane=*/true);
    for (unsigned other : pending) {
      auto read = found.reads.find(targets[other]);
      bool sameNest = getShape(values[index].getType()) == getShape(values[other].getType());
      if (read != found.reads.end() && !(read->second && sameNest))
        keepAtDefinition(values[index]);
    }
  }
  for (unsigned index : pending)
    addWrite(values[index], targets[index], terminator);
  close();
}

void GroupBuilder::visitFor(scf::ForOp loop) {
  SmallVector<Buffer *> carried;
  for (auto [init, argument, result] :
       llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    carried.push_back(enterCarried(init, loop));
    if (carried.back())
      plan.buffers[argument] = plan.buffers[result] = carried.back();
  }
  visitBlock(*loop.getBody());
  passCarried(loop.getBody()->getTerminator(), loop.getYieldedValues(), carried);
}

void GroupBuilder::visitIf(scf::IfOp branch) {
  SmallVector<Buffer *> targets;
  for (Value result : branch.getResults()) {
    targets.push_back(isBlock(result) ? plan.createBuffer(getElementType(result.getType()),
                                                          getShape(result.getType()))
                                      : nullptr);
    if (targets.back())
      plan.buffers[result] = targets.back();
  }
  for (Region &region : branch->getRegions()) {
    if (region.empty())
      continue;
    visitBlock(region.front());
    Operation *yield = region.front().getTerminator();
    passCarried(yield, yield->getOperands(), targets);
  }
}

void GroupBuilder::visitWhile(scf::WhileOp loop) {
  SmallVector<Buffer *> carried, passed;
  for (auto [init, argument] : llvm::zip(loop.getInits(), loop.getBeforeArguments())) {
    carried.push_back(enterCarried(init, loop));
    if (carried.back())
      plan.buffers[argument] = carried.back();
  }
  visitBlock(*loop.getBeforeBody());
  for (auto [argument, result] : llvm::zip(loop.getAfterArguments(), loop.getResults())) {
    passed.push_back(isBlock(result) ? plan.createBuffer(getElementType(result.getType()),
                                                         getShape(result.getType()))
                                     : nullptr);
    if (passed.back())
      plan.buffers[argument] = plan.buffers[result] = passed.back();
  }
  passCarried(loop.getConditionOp(), loop.getConditionOp().getArgs(), passed);
  visitBlock(*loop.getAfterBody());
  passCarried(loop.getYieldOp(), loop.getYieldOp().getResults(), carried);
}
