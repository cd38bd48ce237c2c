//===- Program.cpp - The program's place in the grid, barriers --------------===//
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;

static gpu::Dimension getDimension(uint32_t axis) {
  constexpr gpu::Dimension dims[] = {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z};
  return dims[axis];
}

/// The logarithm of the number of a program's thread blocks, which follow each other
/// along the first axis of the grid.
static unsigned getBlockBits(Operation *op) {
  return llvm::Log2_64(getModuleInt(op, kNumCtasAttr, 1));
}

/// What is counted in thread blocks, in programs.
static Value toPrograms(Operation *op, uint32_t axis, Value index, ThreadLowering &t) {
  Value number = arith::IndexCastOp::create(t.b, t.b.getI32Type(), index);
  return axis == 0 ? createShiftRight(t.b, number, getBlockBits(op)) : number;
}

LogicalResult tile::lower(ProgramIdOp op, ThreadLowering &t) {
  Value index = gpu::BlockIdOp::create(t.b, getDimension(op.getAxis()));
  t.set(op, toPrograms(op, op.getAxis(), index, t));
  return success();
}

LogicalResult tile::lower(NumProgramsOp op, ThreadLowering &t) {
  Value index = gpu::GridDimOp::create(t.b, getDimension(op.getAxis()));
  t.set(op, toPrograms(op, op.getAxis(), index, t));
  return success();
}

Value tile::emitPart(Operation *op, ThreadLowering &t) {
  Value index = gpu::BlockIdOp::create(t.b, gpu::Dimension::x);
  Value number = arith::IndexCastOp::create(t.b, t.b.getI32Type(), index);
  return createAnd(t.b, number, getModuleInt(op, kNumCtasAttr, 1) - 1);
}

LogicalResult tile::lower(PartIdOp op, ThreadLowering &t) {
  t.set(op, emitPart(op, t));
  return success();
}

LogicalResult tile::lower(BarrierOp op, ThreadLowering &t) {
  if (op.getPublish())
    t.hooks.emitPublish(t.b);
  t.scope.emitBarrier(t.b);
  return success();
}
