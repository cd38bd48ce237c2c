//===- HopperHooks.cpp - Roles, signals and tensor copies -------------------===//
#include "compiler/targets/nvidia/HopperHooks.h"
#include "compiler/targets/nvidia/IR/NvidiaDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;
using namespace tile::nvidia;

static Value createI32(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

Value HopperHooks::emitElect(ImplicitLocOpBuilder &b) const {
  return NVVM::ElectSyncOp::create(b, b.getI1Type(), /*membermask=*/Value());
}

void HopperHooks::emitBarrier(ImplicitLocOpBuilder &b, int64_t id, int64_t threads) const {
  NVVM::BarrierOp::create(b, /*res=*/Type(), createI32(b, id), createI32(b, threads),
                          NVVM::BarrierReductionAttr(), /*reductionPredicate=*/Value());
}

void HopperHooks::emitShareRegisters(ImplicitLocOpBuilder &b, int64_t registers, bool more) const {
  auto action = more ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
  NVVM::SetMaxRegisterOp::create(b, static_cast<uint32_t>(registers), action);
}

/// Threads may come one by one: those of a warp whose first one copies.
void HopperHooks::emitMeetEverywhere(ImplicitLocOpBuilder &b) const {
  NVVM::ClusterArriveOp::create(b, /*aligned=*/UnitAttr());
  NVVM::ClusterWaitOp::create(b, /*aligned=*/UnitAttr());
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

void HopperHooks::emitInitSignal(ImplicitLocOpBuilder &b, Value address, int64_t arrivals) const {
  NVVM::MBarrierInitOp::create(b, address, createI32(b, arrivals), /*predicate=*/Value());
}

void HopperHooks::emitPublishSignals(ImplicitLocOpBuilder &b) const {
  NVVM::FenceMbarrierInitOp::create(b);
}

/// The instruction gives up after a while.
void HopperHooks::emitAcquire(ImplicitLocOpBuilder &b, Value address, Value phase) const {
  scf::WhileOp::create(
      b, TypeRange(), ValueRange(),
      [&](OpBuilder &builder, Location loc, ValueRange) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value isOver = NVVM::MBarrierTryWaitOp::create(inner, b.getI1Type(), address, phase,
                                                       /*ticks=*/Value());
        Value yes = arith::ConstantOp::create(inner, b.getBoolAttr(true));
        Value goesOn = arith::XOrIOp::create(inner, isOver, yes);
        scf::ConditionOp::create(inner, goesOn, ValueRange());
      },
      [](OpBuilder &builder, Location loc, ValueRange) { scf::YieldOp::create(builder, loc); });
}

void HopperHooks::emitArrive(ImplicitLocOpBuilder &b, Value address, Value predicate,
                             Value part) const {
  ArriveOp::create(b, address, predicate, part);
}

/// The signal counts these arrivals among those of a phase.
void HopperHooks::emitArriveCopies(ImplicitLocOpBuilder &b, Value address) const {
  NVVM::CpAsyncMBarrierArriveOp::create(b, address, /*noinc=*/true);
}

/// The last arrival comes with the bytes, so that the phase does not end before.
void HopperHooks::emitExpect(ImplicitLocOpBuilder &b, Value address, int64_t bytes,
                             int64_t arrivals) const {
  if (arrivals > 1)
    NVVM::MBarrierArriveOp::create(b, /*res=*/Type(), address, createI32(b, arrivals - 1));
  NVVM::MBarrierArriveExpectTxOp::create(b, /*res=*/Type(), address, createI32(b, bytes),
                                         NVVM::MemScopeKind::CTA, /*relaxed=*/false,
                                         /*predicate=*/Value());
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

void HopperHooks::describeArgument(func::FuncOp function, unsigned index) const {
  constexpr int64_t kMapAlignment = 64;
  Builder b(function.getContext());
  auto map = LLVM::LLVMArrayType::get(b.getI8Type(), kTensorMapBytes);
  function.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(map));
  function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(kMapAlignment));
}

void HopperHooks::emitPrefetchDescriptor(ImplicitLocOpBuilder &b, Value desc) const {
  NVVM::PrefetchOp::create(b, /*cacheLevel=*/NVVM::PrefetchCacheLevelAttr(),
                           /*evictPriority=*/NVVM::CacheEvictionPriorityAttr(), desc,
                           /*predicate=*/Value(), /*tensormap=*/b.getUnitAttr(),
                           /*uniform=*/UnitAttr(), /*in_param_space=*/b.getUnitAttr());
}

/// The fastest dimension comes first.
static SmallVector<Value> getCoordinates(ValueRange indices) {
  return SmallVector<Value>(llvm::reverse(indices));
}

/// The address of a block's own memory is also that in its cluster's.
void HopperHooks::emitBlockCopy(ImplicitLocOpBuilder &b, Value destination, Value desc,
                                ValueRange indices, Value signal, int64_t parts) const {
  constexpr unsigned kClusterSpace = 7;
  Value number = LLVM::PtrToIntOp::create(b, b.getI32Type(), destination);
  Value address = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kClusterSpace), number);
  Value mask; // a bit for each block
  if (parts > 1)
    mask = arith::ConstantOp::create(
        b, b.getI16IntegerAttr(static_cast<int16_t>((int64_t{1} << parts) - 1)));
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, address, desc, getCoordinates(indices), signal, /*im2colOffsets=*/ValueRange(), mask,
      /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE,
      /*isCTAOnly=*/false, /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}

static NVVM::TMAReduxKind getReduction(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add:
  case AtomicKind::FAdd:
    return NVVM::TMAReduxKind::ADD;
  case AtomicKind::And:
    return NVVM::TMAReduxKind::AND;
  case AtomicKind::Or:
    return NVVM::TMAReduxKind::OR;
  case AtomicKind::Xor:
    return NVVM::TMAReduxKind::XOR;
  default:
    llvm_unreachable("no combination of block_store");
  }
}

void HopperHooks::emitBlockStore(ImplicitLocOpBuilder &b, Value source, Value desc,
                                 ValueRange indices, std::optional<AtomicKind> kind) const {
  if (kind) {
    NVVM::CpAsyncBulkTensorReduceOp::create(b, desc, source, getReduction(*kind),
                                            NVVM::TMAStoreMode::TILE, getCoordinates(indices),
                                            /*l2CacheHint=*/Value());
    return;
  }
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      b, desc, source, getCoordinates(indices), /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
      /*predicate=*/Value());
}

void HopperHooks::emitCommitBlockStores(ImplicitLocOpBuilder &b) const {
  NVVM::CpAsyncBulkCommitGroupOp::create(b);
}

void HopperHooks::emitAwaitBlockStores(ImplicitLocOpBuilder &b, unsigned inFlight,
                                       bool written) const {
  NVVM::CpAsyncBulkWaitGroupOp::create(b, inFlight,
                                       /*read=*/written ? UnitAttr() : b.getUnitAttr());
}
