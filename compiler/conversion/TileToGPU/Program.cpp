//===- Program.cpp - The program's place in the grid, barriers --------------===//
#include "compiler/conversion/TileToGPU/Lowerings.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tile;

static gpu::Dimension getDimension(uint32_t axis) {
  constexpr gpu::Dimension dims[] = {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z};
  return dims[axis];
}

LogicalResult tile::lower(ProgramIdOp op, ThreadLowering &t) {
  Value index = gpu::BlockIdOp::create(t.b, getDimension(op.getAxis()));
  t.set(op, arith::IndexCastOp::create(t.b, t.b.getI32Type(), index));
  return success();
}

LogicalResult tile::lower(NumProgramsOp op, ThreadLowering &t) {
  Value index = gpu::GridDimOp::create(t.b, getDimension(op.getAxis()));
  t.set(op, arith::IndexCastOp::create(t.b, t.b.getI32Type(), index));
  return success();
}

LogicalResult tile::lower(BarrierOp op, ThreadLowering &t) {
  if (op.getPublish())
    t.hooks.emitPublish(t.b);
  t.scope.emitBarrier(t.b);
  return success();
}
