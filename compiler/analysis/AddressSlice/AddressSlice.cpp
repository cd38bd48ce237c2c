//===- AddressSlice.cpp - What the places of accesses are computed from ----===//
#include "compiler/analysis/AddressSlice/AddressSlice.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/LaunchExpression/LaunchExpression.h"
#include "compiler/analysis/LayoutInference/LayoutInference.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile;

Operation *AddressSlice::addAll(Operation *access, ValueRange operands, bool blocks) {
  // Buffers go around with the iterations of loops that count.
  if (isa<scf::IfOp, scf::WhileOp>(access->getParentOp()))
    return access->getParentOp();
  withBlocks = blocks;
  auto oldOps = ops;
  auto oldArguments = arguments, oldResults = results;
  Operation *obstacle = visitParents(access);
  for (Value operand : operands)
    if (!obstacle)
      obstacle = visit(operand);
  if (obstacle) {
    ops = std::move(oldOps);
    arguments = std::move(oldArguments);
    results = std::move(oldResults);
  }
  return obstacle;
}

Operation *AddressSlice::add(Operation *access, ValueRange operands) {
  return addAll(access, operands, /*blocks=*/false);
}

Operation *AddressSlice::add(DescriptorLoadOp load) {
  SmallVector<Value> operands(load.getIndices());
  auto desc = load.getDesc().getDefiningOp<MakeDescriptorOp>();
  if (desc && !isMadeAtLaunch(desc))
    llvm::append_range(operands, desc->getOperands());
  return add(load, operands);
}

Operation *AddressSlice::add(LoadOp load) {
  if (!uses.mayFetchAhead(load))
    return load;
  SmallVector<Value> operands{load.getPointer()};
  if (load.getMask())
    operands.push_back(load.getMask());
  return addAll(load, operands, /*blocks=*/true);
}

/// Only loops and branches may be around what is computed again.
Operation *AddressSlice::visitParents(Operation *op) {
  Operation *parent = op->getParentOp();
  if (parent == function)
    return nullptr;
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (!ops.insert(loop))
      return nullptr;
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (Operation *obstacle = visit(bound))
        return obstacle;
    return visitParents(loop);
  }
  if (auto branch = dyn_cast<scf::IfOp>(parent)) {
    if (!ops.insert(branch))
      return nullptr;
    Operation *obstacle = visit(branch.getCondition());
    return obstacle ? obstacle : visitParents(branch);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (!ops.insert(loop))
      return nullptr;
    Operation *obstacle = visit(loop.getConditionOp().getCondition());
    return obstacle ? obstacle : visitParents(loop);
  }
  // Roles are at the top of a function.
  return isa<RolesOp>(parent) ? nullptr : parent;
}

Operation *AddressSlice::visitCarried(LoopLikeOpInterface loop, unsigned index) {
  Value init = loop.getInits()[index], next = loop.getYieldedValues()[index];
  if (!withBlocks && isa<RankedTensorType>(init.getType()))
    return loop;
  if (!arguments.insert({loop, index}))
    return nullptr;
  if (Operation *obstacle = visit(init))
    return obstacle;
  if (Operation *obstacle = visit(next))
    return obstacle;
  return visitParents(&loop.getLoopRegions().front()->front().front());
}

Operation *AddressSlice::visitPassedOn(scf::WhileOp loop, unsigned index) {
  if (!withBlocks && isa<RankedTensorType>(loop.getResult(index).getType()))
    return loop;
  if (!results.insert({loop, index}))
    return nullptr;
  if (Operation *obstacle = visit(loop.getConditionOp().getArgs()[index]))
    return obstacle;
  return visitParents(loop.getConditionOp());
}

Operation *AddressSlice::visitResult(scf::IfOp branch, unsigned index) {
  if (!withBlocks && isa<RankedTensorType>(branch.getResult(index).getType()))
    return branch;
  if (!results.insert({branch, index}))
    return nullptr;
  for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
    if (Operation *obstacle = visit(yield.getResults()[index]))
      return obstacle;
  return visitParents(branch.thenYield());
}

Operation *AddressSlice::visitArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (parent == function)
    return nullptr;
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return argument.getOwner() == loop.getBeforeBody()
               ? visitCarried(loop, argument.getArgNumber())
               : visitPassedOn(loop, argument.getArgNumber());
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return parent;
  if (argument == loop.getInductionVar())
    return visitParents(loop.getBody()->getTerminator());
  return visitCarried(loop, argument.getArgNumber() - loop.getNumInductionVars());
}

/// Blocks only where each thread computes its elements from its own, so that it does
/// not matter how many threads there are.
bool AddressSlice::canRepeat(Operation *op) const {
  if (op->getNumRegions() != 0)
    return false;
  auto load = dyn_cast<LoadOp>(op);
  if (load ? !uses.mayFetchAhead(load) : !isMemoryEffectFree(op))
    return false;
  auto isBlock = llvm::IsaPred<RankedTensorType>;
  if (!llvm::any_of(op->getOperandTypes(), isBlock) && !llvm::any_of(op->getResultTypes(), isBlock))
    return true;
  if (!withBlocks || getScratchBytes(op) != 0)
    return false;
  LayoutTie tie = getLayoutTie(op);
  return load || isa<ConvertLayoutOp>(op) || tie == LayoutTie::Same || tie == LayoutTie::Shape ||
         tie == LayoutTie::Leaf;
}

Operation *AddressSlice::visit(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return visitArgument(argument);
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitCarried(loop, cast<OpResult>(value).getResultNumber());
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitPassedOn(loop, cast<OpResult>(value).getResultNumber());
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitResult(branch, cast<OpResult>(value).getResultNumber());
  if (!canRepeat(op))
    return op;
  if (!ops.insert(op))
    return nullptr;
  if (Operation *obstacle = visitParents(op))
    return obstacle;
  for (Value operand : op->getOperands())
    if (Operation *obstacle = visit(operand))
      return obstacle;
  return nullptr;
}
