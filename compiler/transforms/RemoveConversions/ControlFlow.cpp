//===- ControlFlow.cpp - Where values go through regions ------------------===//
#include "compiler/transforms/RemoveConversions/ControlFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

bool tile::isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::YieldOp, scf::ConditionOp>(op);
}

static Value getYieldDestination(Operation *parent, unsigned index) {
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return loop.getRegionIterArg(index);
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return loop.getBeforeArguments()[index];
  if (auto branch = dyn_cast<scf::IfOp>(parent))
    return branch.getResult(index);
  return {};
}

Value tile::getDestination(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned index = operand.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return index < loop.getNumControlOperands()
               ? Value()
               : loop.getRegionIterArg(index - loop.getNumControlOperands());
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return loop.getBeforeArguments()[index];
  if (auto condition = dyn_cast<scf::ConditionOp>(op))
    return index == 0 ? Value()
                      : condition->getParentOfType<scf::WhileOp>().getAfterArguments()[index - 1];
  if (isa<scf::YieldOp>(op))
    return getYieldDestination(op->getParentOp(), index);
  return {};
}

Value tile::getRepresentative(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return value;
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return loop.getRegionIterArg(result.getResultNumber());
  if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
    return loop.getAfterArguments()[result.getResultNumber()];
  return value;
}

SmallVector<Value, 2> tile::getNames(Value representative) {
  SmallVector<Value, 2> names{representative};
  auto argument = dyn_cast<BlockArgument>(representative);
  if (!argument)
    return names;
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (argument.getArgNumber() > 0)
      names.push_back(loop.getResult(argument.getArgNumber() - 1));
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getAfterBody())
      names.push_back(loop.getResult(argument.getArgNumber()));
  }
  return names;
}
