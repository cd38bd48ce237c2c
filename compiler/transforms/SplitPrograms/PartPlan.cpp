//===- PartPlan.cpp - Which values of a program are split, and how --------===//
#include "compiler/transforms/SplitPrograms/PartPlan.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tile;

ArrayRef<Split> PartPlan::getNeeded(Value value) const {
  auto found = needed.find(value);
  return found == needed.end() ? ArrayRef<Split>() : ArrayRef<Split>(found->second);
}

SmallVector<Split> PartPlan::getNeeded(Operation *op) const {
  SmallVector<Split> splits;
  for (Value result : op->getResults())
    for (Split split : getNeeded(result))
      if (!llvm::is_contained(splits, split))
        splits.push_back(split);
  return splits;
}

void PartPlan::refuse(Operation *op, const Twine &reason, Operation *cause) {
  if (!refusal.op)
    refusal = {op, reason.str(), cause};
}

/// Runs the elements' code of reductions and the like as a part of their op.
static void walkOps(func::FuncOp function, function_ref<void(Operation *)> visit) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function)
      return WalkResult::advance();
    visit(op);
    bool isControl = isa<scf::SCFDialect>(op->getDialect());
    return isControl || op->getNumRegions() == 0 ? WalkResult::advance() : WalkResult::skip();
  });
}

//===----------------------------------------------------------------------===//
// What comes out split
//===----------------------------------------------------------------------===//

bool PartPlan::setNatural(Value value, Split split) {
  auto block = dyn_cast<RankedTensorType>(value.getType());
  if (!block || split == kWhole || block.getShape()[split] % parts != 0)
    return false;
  return natural.try_emplace(value, split).second;
}

static Split lookup(const DenseMap<Value, Split> &splits, Value value) {
  auto found = splits.find(value);
  return found == splits.end() ? kWhole : found->second;
}

/// Rows follow those of A, columns those of B; a batch is split as it comes.
Split PartPlan::inferDot(DotOp op, Split dot) const {
  Split row = op.getType().getRank() - 2, column = row + 1;
  Split a = lookup(natural, op.getA()), b = lookup(natural, op.getB());
  if (a != kWhole && a <= row)
    return a;
  if (b != kWhole && b != row)
    return b;
  if (Split acc = lookup(natural, op.getAcc()); acc != kWhole)
    return acc;
  return row == 1 ? 0 : (dot == 0 ? row : column);
}

bool PartPlan::inferFrom(Operation *op, Split dot) {
  bool changed = false;
  auto join = [&](ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip(from, to))
      changed |= setNatural(target, lookup(natural, source));
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    join(loop.getInits(), loop.getRegionIterArgs());
    join(loop.getYieldedValues(), loop.getRegionIterArgs());
    join(loop.getRegionIterArgs(), loop.getResults());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      if (!region.empty())
        join(region.front().getTerminator()->getOperands(), branch.getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    join(loop.getInits(), loop.getBeforeArguments());
    join(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
    join(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    join(loop.getConditionOp().getArgs(), loop.getResults());
  } else if (auto product = dyn_cast<DotOp>(op)) {
    changed |= setNatural(product, inferDot(product, dot));
  } else {
    for (OpOperand &operand : op->getOpOperands())
      if (Split split = lookup(natural, operand.get()); split != kWhole)
        for (Value result : op->getResults())
          changed |=
              setNatural(result, getResultSplit(op, operand.getOperandNumber(), split, parts));
  }
  return changed;
}

void PartPlan::inferNatural(Split dot) {
  bool changed = true;
  while (changed) {
    changed = false;
    walkOps(function, [&](Operation *op) { changed |= inferFrom(op, dot); });
  }
}

//===----------------------------------------------------------------------===//
// What is needed
//===----------------------------------------------------------------------===//

void PartPlan::need(Value value, Split split, Operation *cause) {
  if (!canBeSplit(value.getType()))
    split = kWhole;
  SmallVector<Split, 2> &known = needed[value];
  if (llvm::is_contained(known, split))
    return;
  if (split != kWhole) {
    auto desc = dyn_cast<DescType>(value.getType());
    int64_t size = desc ? desc.getShape()[split] : tile::getShape(value.getType())[split];
    if (size % parts != 0)
      return refuse(cause,
                    "its " + Twine(size) + " rows or columns do not divide by " + Twine(parts));
  }
  known.push_back(split);
  causes[{value, split}] = cause;
  worklist.push_back({value, split});
}

void PartPlan::needOperands(Operation *op, ArrayRef<Split> splits, Operation *cause) {
  for (auto [operand, split] : llvm::zip(op->getOperands(), splits))
    need(operand, split, cause);
  SetVector<Value> captured;
  if (!isa<scf::SCFDialect>(op->getDialect()))
    getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    need(value, kWhole, cause);
}

void PartPlan::needArgument(BlockArgument argument, Split split, Operation *cause) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned index = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (argument == loop.getInductionVar())
      return;
    need(loop.getInits()[index - 1], split, cause);
    need(loop.getYieldedValues()[index - 1], split, cause);
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getAfterBody())
      return need(loop.getConditionOp().getArgs()[index], split, cause);
    need(loop.getInits()[index], split, cause);
    need(loop.getYieldOp().getOperand(index), split, cause);
  } else if (split != kWhole) {
    refuse(cause, "it needs a part of an argument");
  }
}

void PartPlan::needResult(OpResult result, Split split, Operation *cause) {
  Operation *op = result.getOwner();
  unsigned index = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return need(loop.getRegionIterArg(index), split, cause);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return need(loop.getConditionOp().getArgs()[index], split, cause);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      need(region.front().getTerminator()->getOperand(index), split, cause);
    return;
  }
  std::optional<SmallVector<Split>> splits = getOperandSplits(op, split, parts);
  if (!splits)
    return refuse(op, "it needs more of its operands than the part that each of them holds");
  bool asks = split != kWhole && llvm::is_contained(*splits, kWhole);
  needOperands(op, *splits, asks ? op : cause);
}

void PartPlan::needSources(Value value, Split split, Operation *cause) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return needArgument(argument, split, cause);
  needResult(cast<OpResult>(value), split, cause);
}

//===----------------------------------------------------------------------===//
// What needs it
//===----------------------------------------------------------------------===//

/// What would differ between thread blocks, or happen in each of them.
static StringRef getObstacle(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getIsVolatile() ? "each of them would read on its own what others may change" : "";
  if (isa<DescriptorLoadOp, DescriptorGatherOp>(op) || isMemoryEffectFree(op) ||
      isa<scf::ForOp, scf::IfOp, scf::WhileOp, PrintOp, AssertOp, StoreOp, DescriptorStoreOp,
          DescriptorReduceOp, DescriptorScatterOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return "";
  if (isa<AtomicRMWOp, AtomicCASOp>(op))
    return op->use_empty() ? "" : "each of them would act for itself, and see another result";
  if (isa<BarrierOp>(op))
    return "they do not wait for each other";
  return "each of them would do it for itself";
}

static bool isEffect(Operation *op) {
  return isa<StoreOp, DescriptorStoreOp, DescriptorReduceOp, DescriptorScatterOp, AtomicRMWOp,
             AtomicCASOp, PrintOp, AssertOp>(op);
}

/// What is stored is split as it comes.
void PartPlan::needEffect(Operation *op, Split stored) {
  Split split = kWhole;
  if (!isa<PrintOp, AssertOp>(op)) {
    for (Value operand : op->getOperands())
      if (split == kWhole)
        split = lookup(natural, operand);
    auto canStore = [&](Value operand) {
      ArrayRef<int64_t> shape = tile::getShape(operand.getType());
      return !shape.empty() && shape[stored] % parts == 0;
    };
    if (split == kWhole && stored != kWhole && llvm::any_of(op->getOperands(), canStore))
      split = stored;
  }
  std::optional<SmallVector<Split>> splits = getEffectOperandSplits(op, split);
  if (!splits)
    return refuse(op, "its rows are stored as a whole");
  effects[op] = split;
  needOperands(op, *splits, op);
}

/// Thread blocks go the same way.
void PartPlan::needControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      need(bound, kWhole, op);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    need(branch.getCondition(), kWhole, op);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    need(loop.getConditionOp().getCondition(), kWhole, op);
  }
}

void PartPlan::checkProducts() {
  walkOps(function, [&](Operation *op) {
    auto dot = dyn_cast<DotOp>(op);
    if (!dot)
      return;
    for (Split split : getNeeded(dot.getResult()))
      if (split == kWhole || getNeeded(dot.getResult()).size() > 1)
        if (split != lookup(natural, dot.getResult()) || split == kWhole)
          return refuse(dot, "another part of its result is needed than each of them computes",
                        causes.lookup({dot.getResult(), split}));
  });
}

LogicalResult PartPlan::run(Split dot, Split stored) {
  inferNatural(dot);
  walkOps(function, [&](Operation *op) {
    if (StringRef obstacle = getObstacle(op); !obstacle.empty())
      refuse(op, obstacle);
    else if (isEffect(op))
      needEffect(op, stored);
    else
      needControl(op);
  });
  while (!worklist.empty() && !refusal.op) {
    auto [value, split] = worklist.pop_back_val();
    needSources(value, split, causes.lookup({value, split}));
  }
  checkProducts();
  return failure(refusal.op != nullptr);
}
