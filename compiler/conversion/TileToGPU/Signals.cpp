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
  auto emit = [&] {
    hooks->emitAcquire(t.b, getSignal(t, op.getSignals(), op.getIndex()), t.get(op.getPhase()));
  };
  if (op.getAlone() && !t.scope.isSingleThread())
    emitIf(t, createEquals(t.b, t.scope.getWarp(), 0), emit);
  else
    emit();
  if (op.getPublish())
    t.hooks.emitPublish(t.b);
  for (auto [stack, view] : llvm::zip(op.getStacks(), op.getViews())) {
    int64_t bytes = cast<BufferType>(stack.getType()).getBlockBytes();
    t.set(view, createAdd(t.b, t.get(stack), createMul(t.b, t.get(op.getIndex()), bytes)));
  }
  return success();
}

/// One lane for each thread block of the program.
static void arriveEverywhere(ArriveOp op, Value signal, ThreadLowering &t, const RoleHooks &hooks) {
  int64_t parts = getModuleInt(op, kNumCtasAttr, 1);
  if (t.scope.isSingleThread()) {
    for (int64_t part = 0; part < parts; ++part)
      hooks.emitArrive(t.b, signal, Value(), createI32(t.b, part));
    return;
  }
  Value lane = t.scope.getLane();
  Value arrives =
      arith::CmpIOp::create(t.b, arith::CmpIPredicate::ult, lane, createI32(t.b, parts));
  hooks.emitArrive(t.b, signal, arrives, lane);
}

/// The warp's threads are done before one of them arrives: the first one, which is
/// known before any loop.
LogicalResult tile::lower(ArriveOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  Value signal = getSignal(t, op.getSignals(), op.getIndex());
  if (op.getPublish())
    t.hooks.emitPublish(t.b);
  if (!t.scope.isSingleThread() && !op.getTogether())
    t.scope.emitWarpBarrier(t.b);
  if (op.getEverywhere())
    return arriveEverywhere(op, signal, t, *hooks), success();
  Value isFirst;
  if (!t.scope.isSingleThread())
    isFirst = createEquals(t.b, t.scope.getLane(), 0);
  hooks->emitArrive(t.b, signal, isFirst, /*part=*/Value());
  return success();
}

LogicalResult tile::lower(ArriveCopiesOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  hooks->emitArriveCopies(t.b, getSignal(t, op.getSignals(), op.getIndex()));
  return success();
}

LogicalResult tile::lower(ExpectOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  Value signal = getSignal(t, op.getSignals(), op.getIndex());
  emitOnce(t, *hooks, [&] { hooks->emitExpect(t.b, signal, op.getBytes(), op.getArrivals()); });
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

/// This thread block's share goes to the buffers of all.
static void copyShare(BlockCopyOp op, Value signal, ThreadLowering &t, const RoleHooks &hooks) {
  int64_t parts = getModuleInt(op, kNumCtasAttr, 1);
  BlockCopyShare share = *getBlockCopyShare(op, op.getBuffer().getType(), parts);
  Value part = emitPart(op, t);
  SmallVector<Value> place = t.get(op.getIndices());
  Value &along = place[share.dim];
  along = createAdd(t.b, along, createMul(t.b, part, share.elements));
  Value start = createAdd(t.b, t.get(op.getBuffer()), createMul(t.b, part, share.bytes));
  Value column = place.back();
  for (int64_t piece = 0; piece < share.box.pieces; ++piece) {
    if (piece)
      place.back() = createAdd(t.b, column, createI32(t.b, piece * share.box.shape.back()));
    Value address = t.memory.getAddress(t.b, {start, piece * share.box.pieceBytes});
    hooks.emitBlockCopy(t.b, address, t.get(op.getDesc()), place, signal, parts);
  }
}

LogicalResult tile::lower(BlockCopyOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  Value signal = getSignal(t, op.getSignals(), op.getSignal());
  if (op.getEverywhere()) {
    emitOnce(t, *hooks, [&] { copyShare(op, signal, t, *hooks); });
    return success();
  }
  emitOnce(t, *hooks, [&] {
    forEachPiece(t, op.getBuffer(), op.getIndices(), [&](Value address, ValueRange indices) {
      hooks->emitBlockCopy(t.b, address, t.get(op.getDesc()), indices, signal, /*parts=*/1);
    });
  });
  return success();
}

/// Calls `emit` in one thread of each warp.
static void emitOnceInWarp(ThreadLowering &t, const RoleHooks &hooks,
                           llvm::function_ref<void()> emit) {
  emitIf(t, hooks.emitElect(t.b), emit);
}

/// Of the parts that the warps have.
static void storeParts(BlockStoreOp op, ThreadLowering &t, const RoleHooks &hooks) {
  BlockCopyPart part = *getBlockCopyPart(op, op.getBuffer().getType(), op.getParts()->getLayout());
  using Place = BlockCopyPart::Place;
  SmallVector<Value> first = t.get(op.getIndices());
  Value start = t.get(op.getBuffer());
  for (const BlockCopyPart::Digit &digit : part.warps) {
    Value value = createDigit(t.b, t.scope.getWarp(), digit.divisor, digit.count);
    for (auto [index, step] : llvm::zip(first, digit.step.indices))
      if (step)
        index = createAdd(t.b, index, createMul(t.b, value, step));
    start = createAdd(t.b, start, createMul(t.b, value, digit.step.bytes));
  }
  t.hooks.emitPublish(t.b);
  t.scope.emitWarpBarrier(t.b);
  emitOnceInWarp(t, hooks, [&] {
    for (const Place &copy : part.copies) {
      SmallVector<Value> place(first);
      for (auto [index, offset] : llvm::zip(place, copy.indices))
        index = createAdd(t.b, index, offset ? createI32(t.b, offset) : Value());
      hooks.emitBlockStore(t.b, t.memory.getAddress(t.b, {start, copy.bytes}), t.get(op.getDesc()),
                           place, op.getKind());
    }
    hooks.emitCommitBlockStores(t.b);
  });
}

LogicalResult tile::lower(BlockStoreOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  if (op.getParts()) {
    storeParts(op, t, *hooks);
    return success();
  }
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
  auto await = [&] { hooks->emitAwaitBlockStores(t.b, op.getInFlight(), op.getWritten()); };
  if (!op.getByWarps()) {
    emitOnce(t, *hooks, await);
    return success();
  }
  emitOnceInWarp(t, *hooks, await);
  t.scope.emitWarpBarrier(t.b);
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

/// Each warp branches to its role.
static LogicalResult lowerRoles(RolesOp op, ThreadLowering &t, const RoleHooks &hooks) {
  OpBuilder::InsertionGuard guard(t.b);
  int64_t end = 0;
  unsigned last = op.getBodies().size() - 1;
  for (unsigned role = 0; role < last; ++role) {
    end += op.getWarps()[role];
    Value isIn = arith::CmpIOp::create(t.b, arith::CmpIPredicate::slt, t.scope.getWarp(),
                                       createI32(t.b, end));
    auto branch = scf::IfOp::create(t.b, isIn, /*withElseRegion=*/true);
    t.b.setInsertionPoint(branch.thenYield());
    if (failed(lowerRole(op, role, t, hooks)))
      return failure();
    t.b.setInsertionPoint(branch.elseYield());
  }
  return lowerRole(op, last, t, hooks);
}

LogicalResult tile::lower(RolesOp op, ThreadLowering &t) {
  const RoleHooks *hooks = getRoleHooks(op, t);
  if (!hooks)
    return failure();
  prefetchDescriptors(op, t, *hooks);
  hooks->emitPublishSignals(t.b);
  if (op.getEverywhere())
    hooks->emitMeetEverywhere(t.b);
  else
    t.scope.emitBarrier(t.b);
  if (failed(lowerRoles(op, t, *hooks)))
    return failure();
  // Others may still arrive at this thread block's signals.
  if (op.getEverywhere())
    hooks->emitMeetEverywhere(t.b);
  return success();
}
