//===- ExecutionScope.cpp - Which threads carry out a piece of code ---------===//
#include "compiler/conversion/TileToGPU/ExecutionScope.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;

void ExecutionScope::enter(ImplicitLocOpBuilder &b) {
  Value index = gpu::ThreadIdOp::create(b, gpu::Dimension::x, b.getIndexAttr(getNumThreads()));
  thread = arith::IndexCastOp::create(b, b.getI32Type(), index);
  if (warps == 1) {
    lane = thread;
    warp = createI32(b, 0);
    return;
  }
  lane = createAnd(b, thread, lanes - 1);
  warp = hooks.emitUniform(b, createShiftRight(b, thread, llvm::Log2_64(lanes)));
}

void ExecutionScope::emitBarrier(ImplicitLocOpBuilder &b) const {
  if (warps == 1)
    return hooks.emitWarpBarrier(b);
  gpu::BarrierOp::create(b);
}

void ExecutionScope::emitWarpBarrier(ImplicitLocOpBuilder &b) const { hooks.emitWarpBarrier(b); }
