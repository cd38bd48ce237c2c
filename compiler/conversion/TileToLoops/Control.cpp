//===- Control.cpp - Loops and branches of the kernel ---------------------===//
//
// Blocks travel in buffers, which the plan has chosen; only scalars are carried.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Emitter.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

/// Pair the scalars of `values` with what they become, in order.
static void mapScalars(Emitter &emitter, ValueRange values, ValueRange converted) {
  auto next = converted.begin();
  for (Value value : values)
    if (!isBlock(value))
      emitter.setScalar(value, *next++);
}

void Emitter::emitRegion(Region &source, Region &target) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = target.empty() ? builder.createBlock(&target) : &target.front();
  builder.setInsertionPointToEnd(block);
  emitBlock(source.front());
}

void Emitter::emitFor(scf::ForOp loop) {
  auto converted = scf::ForOp::create(builder, loop.getLoc(), getScalar(loop.getLowerBound()),
                                      getScalar(loop.getUpperBound()), getScalar(loop.getStep()),
                                      getScalars(loop.getInitArgs()), /*bodyBuilder=*/nullptr,
                                      loop.getUnsignedCmp());
  Block *body = converted.getBody();
  if (!body->empty())
    body->getTerminator()->erase(); // `emitYield` makes its own
  setScalar(loop.getInductionVar(), converted.getInductionVar());
  mapScalars(*this, loop.getRegionIterArgs(), converted.getRegionIterArgs());
  emitRegion(loop.getRegion(), converted.getRegion());
  mapScalars(*this, loop.getResults(), converted.getResults());
}

void Emitter::emitIf(scf::IfOp branch) {
  auto converted =
      scf::IfOp::create(builder, branch.getLoc(), getScalarTypes(branch.getResultTypes()),
                        getScalar(branch.getCondition()),
                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  emitRegion(branch.getThenRegion(), converted.getThenRegion());
  if (!branch.getElseRegion().empty())
    emitRegion(branch.getElseRegion(), converted.getElseRegion());
  mapScalars(*this, branch.getResults(), converted.getResults());
}

void Emitter::emitWhile(scf::WhileOp loop) {
  auto converted = scf::WhileOp::create(
      builder, loop.getLoc(), getScalarTypes(loop.getResultTypes()), getScalars(loop.getInits()));
  auto convertRegion = [&](Region &source, Region &target) {
    SmallVector<Type> types = getScalarTypes(source.getArgumentTypes());
    SmallVector<Location> locations(types.size(), loop.getLoc());
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&target, {}, types, locations);
    }
    mapScalars(*this, source.getArguments(), target.getArguments());
    emitRegion(source, target);
  };
  convertRegion(loop.getBefore(), converted.getBefore());
  convertRegion(loop.getAfter(), converted.getAfter());
  mapScalars(*this, loop.getResults(), converted.getResults());
}

void Emitter::emitYield(Operation &terminator) {
  if (auto condition = dyn_cast<scf::ConditionOp>(terminator))
    scf::ConditionOp::create(builder, terminator.getLoc(), getScalar(condition.getCondition()),
                             getScalars(condition.getArgs()));
  else if (isa<scf::YieldOp>(terminator))
    scf::YieldOp::create(builder, terminator.getLoc(), getScalars(terminator.getOperands()));
}
