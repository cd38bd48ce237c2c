//===- GPUHooks.cpp - Defaults that hold on every GPU -----------------------===//
#include "compiler/conversion/TileToGPU/GPUHooks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;

/// Data that is read or written once need not stay in caches.
static bool isStreaming(const GlobalAccess &access) {
  return access.cache == CacheModifier::CS || access.eviction == EvictionPolicy::First;
}

Value GPUHooks::emitLoad(ImplicitLocOpBuilder &b, Type type, const GlobalAccess &access,
                         Value other) const {
  auto load = [&](OpBuilder &nested, Location loc) -> Value {
    return LLVM::LoadOp::create(nested, loc, type, access.pointer, access.alignment,
                                access.isVolatile, isStreaming(access));
  };
  if (!access.predicate)
    return load(b, b.getLoc());
  auto conditional = scf::IfOp::create(
      b, access.predicate,
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(nested, loc, load(nested, loc));
      },
      [&](OpBuilder &nested, Location loc) { scf::YieldOp::create(nested, loc, other); });
  return conditional.getResult(0);
}

void GPUHooks::emitStore(ImplicitLocOpBuilder &b, Value value, const GlobalAccess &access) const {
  auto store = [&](OpBuilder &nested, Location loc) {
    LLVM::StoreOp::create(nested, loc, value, access.pointer, access.alignment, access.isVolatile,
                          isStreaming(access));
  };
  if (!access.predicate)
    return store(b, b.getLoc());
  scf::IfOp::create(b, access.predicate, [&](OpBuilder &nested, Location loc) {
    store(nested, loc);
    scf::YieldOp::create(nested, loc);
  });
}

Value GPUHooks::emitTimer(ImplicitLocOpBuilder &b) const {
  auto call = LLVM::CallIntrinsicOp::create(
      b, b.getI64Type(), b.getStringAttr("llvm.readsteadycounter"), ValueRange());
  Value factor = arith::ConstantOp::create(b, b.getI64IntegerAttr(getTickNanoseconds()));
  return arith::MulIOp::create(b, call.getResults(), factor);
}

void GPUHooks::emitWarpBarrier(ImplicitLocOpBuilder &b) const { gpu::BarrierOp::create(b); }

/// A copy that is complete at once keeps every promise of an asynchronous one.
void GPUHooks::emitAsyncCopy(ImplicitLocOpBuilder &b, Value destination, const GlobalAccess &access,
                             int64_t bytes) const {
  auto type = VectorType::get(bytes, b.getI8Type());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  LLVM::StoreOp::create(b, emitLoad(b, type, access, zero), destination, bytes);
}
void GPUHooks::emitAsyncCommit(ImplicitLocOpBuilder &) const {}
void GPUHooks::emitAsyncWait(ImplicitLocOpBuilder &, unsigned) const {}
