//===- ScalarSlice.cpp - What the places of accesses are computed from ----===//
#include "compiler/analysis/ScalarSlice/ScalarSlice.h"

#include "compiler/analysis/LaunchExpression/LaunchExpression.h"
#include "compiler/analysis/PointerBase/PointerBase.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile;

Operation *ScalarSlice::add(Operation *access, ValueRange operands) {
  auto oldOps = ops;
  auto oldArguments = arguments;
  Operation *obstacle = visitParents(access);
  for (Value operand : operands)
    if (!obstacle)
      obstacle = visit(operand);
  if (obstacle) {
    ops = std::move(oldOps);
    arguments = std::move(oldArguments);
  }
  return obstacle;
}

Operation *ScalarSlice::add(DescriptorLoadOp load) {
  SmallVector<Value> operands(load.getIndices());
  auto desc = load.getDesc().getDefiningOp<MakeDescriptorOp>();
  if (desc && !isMadeAtLaunch(desc))
    llvm::append_range(operands, desc->getOperands());
  return add(load, operands);
}

/// Only loops that count may be around what is computed again.
Operation *ScalarSlice::visitParents(Operation *op) {
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
  // Roles are at the top of a function.
  return isa<RolesOp>(parent) ? nullptr : parent;
}

Operation *ScalarSlice::visitCarried(scf::ForOp loop, unsigned index) {
  if (!arguments.insert({loop, index}))
    return nullptr;
  if (Operation *obstacle = visit(loop.getInits()[index]))
    return obstacle;
  if (Operation *obstacle = visit(loop.getYieldedValues()[index]))
    return obstacle;
  return visitParents(loop.getBody()->getTerminator());
}

Operation *ScalarSlice::visitArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (parent == function)
    return nullptr;
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return parent;
  if (argument == loop.getInductionVar())
    return visitParents(loop.getBody()->getTerminator());
  return visitCarried(loop, argument.getArgNumber() - loop.getNumInductionVars());
}

Operation *ScalarSlice::visit(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return visitArgument(argument);
  Operation *op = value.getDefiningOp();
  if (isa<RankedTensorType>(value.getType()))
    return op;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitCarried(loop, cast<OpResult>(value).getResultNumber());
  if (op->getNumRegions() != 0 || !(isMemoryEffectFree(op) || isConstantLoad(op)))
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
