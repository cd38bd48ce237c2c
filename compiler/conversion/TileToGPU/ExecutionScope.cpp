//===- ExecutionScope.cpp - Which threads carry out a piece of code ---------===//
#include "compiler/conversion/TileToGPU/ExecutionScope.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;

void ExecutionScope::enter(ImplicitLocOpBuilder &b, int64_t launchedWarps) {
  Value index =
      gpu::ThreadIdOp::create(b, gpu::Dimension::x, b.getIndexAttr(lanes * launchedWarps));
  thread = arith::IndexCastOp::create(b, b.getI32Type(), index);
  if (launchedWarps == 1) {
    lane = thread;
    warp = createI32(b, 0);
    return;
  }
  lane = createAnd(b, thread, lanes - 1);
  warp = hooks->emitUniform(b, createShiftRight(b, thread, llvm::Log2_64(lanes)));
}

void ExecutionScope::enterRole(ImplicitLocOpBuilder &b, const RoleHooks &hooksOfRoles,
                               int64_t firstWarp, int64_t count, int64_t id) {
  roleHooks = &hooksOfRoles;
  warps = count;
  barrier = id;
  if (firstWarp == 0)
    return;
  thread = createAdd(b, thread, createI32(b, -firstWarp * lanes));
  warp = createAdd(b, warp, createI32(b, -firstWarp));
}

void ExecutionScope::emitBarrier(ImplicitLocOpBuilder &b) const {
  if (isSingle)
    return;
  if (warps == 1)
    return hooks->emitWarpBarrier(b);
  if (roleHooks)
    return roleHooks->emitBarrier(b, barrier, getNumThreads());
  gpu::BarrierOp::create(b);
}

void ExecutionScope::emitWarpBarrier(ImplicitLocOpBuilder &b) const { hooks->emitWarpBarrier(b); }
