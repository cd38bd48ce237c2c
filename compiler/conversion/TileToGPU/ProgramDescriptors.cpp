//===- ProgramDescriptors.cpp - Descriptors that the program makes --------===//
#include "compiler/conversion/TileToGPU/Exchange.h"
#include "compiler/conversion/TileToGPU/GlobalMemory.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"
#include "compiler/conversion/TileToGPU/RoleHooks.h"
#include "compiler/conversion/TileToGPU/Signals.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;

/// One thread claims the places, and tells the others through on-chip memory.
LogicalResult tile::lower(DescriptorAllocOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  auto count = static_cast<int64_t>(op.getDescriptors().size());
  Type i64 = t.b.getI64Type();
  Value isFirst = createEquals(t.b, t.scope.getThread(), 0);
  auto branch = scf::IfOp::create(t.b, i64, isFirst, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(t.b);
    t.b.setInsertionPointToStart(branch.thenBlock());
    Value claimed = LLVM::PtrToIntOp::create(t.b, i64, hooks->emitClaimDescriptors(t.b, count));
    scf::YieldOp::create(t.b, claimed);
    t.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(t.b, createZero(t.b, i64));
  }
  Value address = Exchange(op, t).broadcastFromFirst(branch.getResult(0));
  Type type = t.convertType(op.getDescriptors().front().getType());
  Value first = LLVM::IntToPtrOp::create(t.b, type, address);
  for (auto [i, desc] : llvm::enumerate(op.getDescriptors())) {
    auto place = static_cast<int32_t>(i * hooks->getDescriptorBytes());
    t.set(desc,
          LLVM::GEPOp::create(t.b, type, t.b.getI8Type(), first, ArrayRef<LLVM::GEPArg>{place}));
  }
  return success();
}

LogicalResult tile::lower(DescriptorSetOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  if (!t.scope.isSingleThread())
    t.scope.emitBarrier(t.b); // its scratch memory is free then
  int64_t draft = t.memory.getScratch(op, hooks->getDescriptorBytes());
  int64_t bytes = op.getDesc().getType().getElementType().getIntOrFloatBitWidth() / 8;
  emitOnce(t, *hooks, [&] {
    Value unit = arith::ConstantOp::create(t.b, t.b.getI64IntegerAttr(bytes));
    auto strides = llvm::map_to_vector(op.getStrides(), [&](Value stride) -> Value {
      return arith::MulIOp::create(t.b, t.get(stride), unit);
    });
    hooks->emitSetDescriptor(t.b, t.get(op.getDesc()), t.memory.getAddress(t.b, {Value(), draft}),
                             t.get(op.getLike()), t.get(op.getBase()), t.get(op.getSizes()),
                             strides);
  });
  return success();
}

LogicalResult tile::lower(DescriptorPublishOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  auto acquire = [&] { hooks->emitAcquireDescriptors(t.b, t.get(op.getDescriptors())); };
  emitOnce(t, *hooks, [&] {
    hooks->emitPublishDescriptors(t.b);
    if (!op.getForWarps())
      acquire();
  });
  if (op.getForWarps()) {
    t.scope.emitBarrier(t.b);
    acquire();
  }
  return success();
}

LogicalResult tile::lower(DescriptorFreeOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  auto count = static_cast<int64_t>(op.getDescriptors().size());
  emitOnce(t, *hooks,
           [&] { hooks->emitReleaseDescriptors(t.b, t.get(op.getDescriptors().front()), count); });
  return success();
}
