//===- BufferPlanner.cpp - Values that are kept for later nests -----------===//
//
// Second half of the plan. Values are visited from the last to the first, so
// that each knows which nests need it. One that several nests need, or that one
// nest would compute again and again, is kept if it is not cheap.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/BufferPlanner.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

/// Work for one element above which a value is kept rather than computed again.
static constexpr unsigned kRecomputeLimit = 12;
/// The same for an address, or a mask, whose form is worth more than its work.
static constexpr unsigned kAddressRecomputeLimit = 100;

void BufferPlanner::run(func::FuncOp kernel) {
  SmallVector<Operation *> virtualOps;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ReduceOp, ScanOp>(op))
      return WalkResult::skip();
    if (isVirtual(op))
      virtualOps.push_back(op);
    if (isa<MapOp>(op)) // what it holds computes scalars
      return WalkResult::skip();
    if (op->getNumRegions() == 0 && writesMemory(op))
      writes.push_back(op);
    return WalkResult::advance();
  });
  for (const std::unique_ptr<Group> &group : plan.allGroups)
    addRootUses(*group);
  for (Operation *op : llvm::reverse(virtualOps))
    visit(op);
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

void BufferPlanner::addUse(Value value, Group *group, Use use) {
  if (!isBlock(value))
    return;
  auto [entry, isNew] = uses[value].insert({group, use});
  entry->second.isLaneByLane &= use.isLaneByLane;
  entry->second.isRepeated |= use.isRepeated;
  entry->second.isAddress &= use.isAddress;
  entry->second.isShared &= use.isShared;
}

/// How a use of the result of an operation is a use of one operand.
BufferPlanner::Use BufferPlanner::getOperandUse(OpOperand &operand, Use use) {
  Operation *op = operand.getOwner();
  if (isShapeChange(op))
    use.isLaneByLane = false;
  if (isa<GatherOp>(op) && operand.getOperandNumber() == 0)
    use.isRepeated = true;
  if (isa<BroadcastOp>(op)) {
    use.isRepeated = true;
    ArrayRef<int64_t> from = getShape(operand.get().getType());
    ArrayRef<int64_t> to = getShape(op->getResult(0).getType());
    use.isShared |= !from.empty() && from.back() == 1 && to.back() != 1;
  }
  if (isa<LoadOp, StoreOp>(op) || isAtomic(op)) {
    Type element = getElementType(operand.get().getType());
    use.isAddress = operand.getOperandNumber() == 0 || element.isInteger(1);
  }
  return use;
}

void BufferPlanner::addRootUses(Group &group) {
  for (const Root &root : group.roots) {
    if (root.value)
      addUse(root.value, &group, {});
    else
      for (OpOperand &operand : root.op->getOpOperands())
        addUse(operand.get(), &group, getOperandUse(operand, {}));
  }
}

void BufferPlanner::passUses(Operation *op) {
  for (Value result : op->getResults()) {
    // What reads a buffer needs nothing below it; what writes it counts as a root.
    if (plan.getBuffer(result))
      continue;
    auto resultUses = uses[result]; // a copy: `uses` grows below
    for (auto [group, use] : resultUses) {
      for (OpOperand &operand : op->getOpOperands())
        addUse(operand.get(), group, getOperandUse(operand, use));
    }
  }
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

const BufferPlanner::Cost &BufferPlanner::getCost(Value value) {
  auto found = costs.find(value);
  if (found != costs.end())
    return found->second;
  Cost cost;
  Operation *op = value.getDefiningOp();
  if (op && isVirtual(op) && !plan.getBuffer(value)) {
    cost.loads = isa<LoadOp>(op);
    cost.work = loops::getCost(op);
    for (Value operand : op->getOperands()) {
      const Cost &below = getCost(operand);
      cost.loads |= below.loads;
      cost.work = std::min(cost.work + below.work, 1000u);
    }
  }
  return costs[value] = cost;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// Whether memory that `load` reads may be written before `group` runs, or by
/// another lane of it.
bool BufferPlanner::isOvertaken(LoadOp load, const Group &group) {
  unsigned position = plan.positions[load];
  return llvm::any_of(writes, [&](Operation *write) {
    unsigned at = plan.positions[write];
    if (at <= position || at > group.position)
      return false;
    bool isInGroup = llvm::any_of(group.roots, [&](const Root &root) { return root.op == write; });
    if (!isInGroup || isa<InlineAsmOp>(write))
      return true;
    Value pointer = write->getOperand(0);
    if (pointer == load.getPointer())
      return false;
    Value base = getBasePointer(pointer), loaded = getBasePointer(load.getPointer());
    return !base || !loaded || base == loaded;
  });
}

bool BufferPlanner::mustKeep(Value value, Group *&home) {
  const auto &groups = uses[value];
  home = nullptr;
  if (groups.empty())
    return false;
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast<LoadOp>(op);
  if (load && load.getIsVolatile())
    return true;
  const Cost &cost = getCost(value);
  // An address that was stored says no more how it grows from lane to lane.
  bool isAddress = llvm::all_of(
      groups, [](auto &entry) { return entry.second.isAddress && !entry.second.isShared; });
  if (!cost.loads && cost.work <= (isAddress ? kAddressRecomputeLimit : kRecomputeLimit))
    return false;
  auto first = llvm::min_element(groups, [](auto &a, auto &b) {
    return a.first->position != b.first->position ? a.first->position < b.first->position
                                                  : a.first->precedes(*b.first);
  });
  bool elsewhere = llvm::any_of(
      groups, [&](auto &entry) { return entry.first->anchor->getBlock() != op->getBlock(); });
  bool repeated = cost.work > kRecomputeLimit &&
                  llvm::any_of(groups, [](auto &entry) { return entry.second.isRepeated; });
  bool overtaken = load && isOvertaken(load, *first->first);
  if (groups.size() < 2 && !elsewhere && !repeated && !overtaken)
    return false;
  bool isAtHome = first->first->anchor->getBlock() == op->getBlock() &&
                  first->second.isLaneByLane && !overtaken &&
                  ArrayRef(first->first->shape) == getShape(value.getType()) &&
                  first->first->laneDim == getLaneDimension(first->first->shape);
  home = isAtHome ? first->first : nullptr;
  return true;
}

void BufferPlanner::keep(Value value, Group *home) {
  if (!home)
    return plan.keep(value);
  Buffer *buffer = plan.createBuffer(getElementType(value.getType()), getShape(value.getType()));
  home->roots.push_back({nullptr, value, buffer});
  plan.buffers[value] = buffer;
}

void BufferPlanner::visit(Operation *op) {
  for (Value result : op->getResults()) {
    Group *home = nullptr;
    if (!plan.getBuffer(result) && mustKeep(result, home))
      keep(result, home);
    // The nests that write a value's own buffer compute it.
    if (Buffer *buffer = plan.getBuffer(result))
      for (const std::unique_ptr<Group> &group : plan.allGroups)
        if (group->writes(result, buffer))
          for (OpOperand &operand : op->getOpOperands())
            addUse(operand.get(), group.get(), getOperandUse(operand, {}));
  }
  passUses(op);
}
