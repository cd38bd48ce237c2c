//===- Signals.cpp - Signals, and copies of whole blocks --------------------===//
#include "compiler/conversion/TileToGPU/Signals.h"

#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"
#include "compiler/conversion/TileToGPU/RoleHooks.h"
#include "dialects/tile/IR/BlockCopy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;

/// Of one signal.
static constexpr int64_t kSignalBytes = 8;

const RoleHooks *tile::getRoleHooks(Operation *op, ThreadLowering &t) {
  const RoleHooks *hooks = t.hooks.getRoleHooks();
  if (!hooks)
    op->emitOpError("has no counterpart on this target");
  return hooks;
}

void tile::emitIf(ThreadLowering &t, Value condition, llvm::function_ref<void()> emit) {
  auto branch = scf::IfOp::create(t.b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(t.b);
  t.b.setInsertionPoint(branch.thenYield());
  emit();
}

void tile::emitOnce(ThreadLowering &t, const RoleHooks &hooks, llvm::function_ref<void()> emit) {
  if (t.scope.isSingleThread())
    return emit();
  emitIf(t, createEquals(t.b, t.scope.getWarp(), 0),
         [&] { emitIf(t, hooks.emitElect(t.b), emit); });
}

static Value getSignal(ThreadLowering &t, Value signals, Value index) {
  Value offset = createMul(t.b, t.get(index), kSignalBytes);
  return t.memory.getAddress(t.b, {createAdd(t.b, t.get(signals), offset), 0});
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

LogicalResult tile::lower(SignalAllocOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  int64_t count = op.getType().getCount();
  std::optional<uint32_t> planned = op.getOffset();
  int64_t offset = planned ? *planned : t.memory.allocate(count * kSignalBytes);
  t.set(op, createI32(t.b, offset));
  emitIf(t, createEquals(t.b, t.scope.getThread(), 0), [&] {
    for (int64_t i = 0; i < count; ++i)
      hooks->emitInitSignal(t.b, t.memory.getAddress(t.b, {Value(), offset + i * kSignalBytes}),
                            op.getArrivals());
  });
  return success();
}

LogicalResult tile::lower(AcquireOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  hooks->emitAcquire(t.b, getSignal(t, op.getSignals(), op.getIndex()), t.get(op.getPhase()));
  for (auto [stack, view] : llvm::zip(op.getStacks(), op.getViews())) {
    int64_t bytes = cast<BufferType>(stack.getType()).getBlockBytes();
    t.set(view, createAdd(t.b, t.get(stack), createMul(t.b, t.get(op.getIndex()), bytes)));
  }
  return success();
}

/// The warp's threads are done before one of them arrives: the first one, which is
/// known before any loop.
LogicalResult tile::lower(ArriveOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  Value signal = getSignal(t, op.getSignals(), op.getIndex());
  Value isFirst;
  if (!t.scope.isSingleThread()) {
    if (!op.getTogether())
      t.scope.emitWarpBarrier(t.b);
    isFirst = createEquals(t.b, t.scope.getLane(), 0);
  }
  hooks->emitArrive(t.b, signal, isFirst);
  return success();
}

LogicalResult tile::lower(ExpectOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  Value signal = getSignal(t, op.getSignals(), op.getIndex());
  emitOnce(t, *hooks, [&] { hooks->emitExpect(t.b, signal, op.getBytes()); });
  return success();
}

//===----------------------------------------------------------------------===//
// Copies of blocks
//===----------------------------------------------------------------------===//

/// Calls `emit` for the pieces of a block: the address and the indices of each.
static void forEachPiece(ThreadLowering &t, TypedValue<BufferType> buffer, ValueRange indices,
                         llvm::function_ref<void(Value, ValueRange)> emit) {
  BlockCopyBox box = *getBlockCopyBox(buffer.getParentBlock()->getParentOp(), buffer.getType());
  SmallVector<Value> place = t.get(indices);
  Value last = place.back();
  for (int64_t piece = 0; piece < box.pieces; ++piece) {
    place.back() = createAdd(t.b, last, piece ? createI32(t.b, piece * box.shape.back()) : Value());
    emit(t.memory.getAddress(t.b, {t.get(buffer), piece * box.pieceBytes}), place);
  }
}

LogicalResult tile::lower(BlockCopyOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  Value signal = getSignal(t, op.getSignals(), op.getSignal());
  emitOnce(t, *hooks, [&] {
    forEachPiece(t, op.getBuffer(), op.getIndices(), [&](Value address, ValueRange indices) {
      hooks->emitBlockCopy(t.b, address, t.get(op.getDesc()), indices, signal);
    });
  });
  return success();
}

LogicalResult tile::lower(BlockStoreOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  emitOnce(t, *hooks, [&] {
    forEachPiece(t, op.getBuffer(), op.getIndices(), [&](Value address, ValueRange indices) {
      hooks->emitBlockStore(t.b, address, t.get(op.getDesc()), indices, op.getKind());
    });
    hooks->emitCommitBlockStores(t.b);
  });
  return success();
}

/// Groups are counted by the thread that stores.
LogicalResult tile::lower(AwaitBlockStoresOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  emitOnce(t, *hooks, [&] { hooks->emitAwaitBlockStores(t.b, op.getInFlight()); });
  return success();
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// A barrier of its own for each role; number 0 is that of all threads.
static LogicalResult lowerRole(RolesOp op, unsigned role, ThreadLowering &t,
                               const RoleHooks &hooks) {
  int64_t firstWarp = 0;
  for (int32_t warps : op.getWarps().take_front(role))
    firstWarp += warps;
  ExecutionScope outer = t.scope;
  int64_t registers = op.getRegisters()[role];
  if (registers != 0)
    hooks.emitShareRegisters(t.b, registers, role == 0);
  t.scope.enterRole(t.b, hooks, firstWarp, op.getWarps()[role], /*barrier=*/role + 1);
  bool isSingle = op.getThreads()[role] == 1;
  LogicalResult result = success();
  auto lowerBody = [&] {
    for (Operation &inner : op.getBodies()[role].front())
      if (succeeded(result))
        result = t.lowerOperation(&inner);
  };
  if (isSingle)
    emitOnce(t, hooks, [&] {
      t.scope.setSingleThread();
      lowerBody();
    });
  else
    lowerBody();
  t.scope = outer;
  return result;
}

/// Whether copies are made by it, and not only others like it.
static bool isOfCopies(Value desc) {
  return isa<DescType>(desc.getType()) &&
         llvm::any_of(desc.getUsers(), llvm::IsaPred<BlockCopyOp, BlockStoreOp>);
}

/// By the first thread of the last role, while another one makes the signals.
static void prefetchDescriptors(RolesOp op, ThreadLowering &t, const RoleHooks &hooks) {
  int64_t threads = getTarget(op).getLanes();
  int64_t first = (op.getTotalWarps() - op.getWarps().back()) * threads;
  emitIf(t, createEquals(t.b, t.scope.getThread(), first), [&] {
    for (Value argument : op->getParentOfType<func::FuncOp>().getArguments())
      if (isOfCopies(argument))
        hooks.emitPrefetchDescriptor(t.b, t.get(argument));
  });
}

LogicalResult tile::lower(RolesOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  prefetchDescriptors(op, t, *hooks);
  hooks->emitPublishSignals(t.b);
  t.scope.emitBarrier(t.b);
  OpBuilder::InsertionGuard guard(t.b);
  int64_t end = 0;
  unsigned last = op.getBodies().size() - 1;
  for (unsigned role = 0; role <= last; ++role) {
    end += op.getWarps()[role];
    if (role == last)
      return lowerRole(op, role, t, *hooks);
    Value isIn = arith::CmpIOp::create(t.b, arith::CmpIPredicate::slt, t.scope.getWarp(),
                                       createI32(t.b, end));
    auto branch = scf::IfOp::create(t.b, isIn, /*withElseRegion=*/true);
    t.b.setInsertionPoint(branch.thenYield());
    if (failed(lowerRole(op, role, t, *hooks)))
      return failure();
    t.b.setInsertionPoint(branch.elseYield());
  }
  return success();
}
