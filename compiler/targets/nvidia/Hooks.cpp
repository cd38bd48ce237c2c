//===- Hooks.cpp - Per-thread code in NVIDIA's instructions -----------------===//
#include "compiler/targets/nvidia/Hooks.h"
#include "compiler/targets/nvidia/IR/NvidiaDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;
using namespace tile::nvidia;

void Hooks::registerDialects(DialectRegistry &registry) const {
  registry.insert<NvidiaDialect, NVVM::NVVMDialect>();
}

/// LLVM knows plain accesses best; predicates and hints need our own op.
Value Hooks::emitLoad(ImplicitLocOpBuilder &b, Type type, const GlobalAccess &access,
                      Value other) const {
  if (!access.predicate && access.isPlain())
    return GPUHooks::emitLoad(b, type, access, other);
  return LoadOp::create(b, type, access.pointer, access.predicate, other, access.cache,
                        access.eviction, access.isVolatile);
}

void Hooks::emitStore(ImplicitLocOpBuilder &b, Value value, const GlobalAccess &access) const {
  if (!access.predicate && access.isPlain())
    return GPUHooks::emitStore(b, value, access);
  StoreOp::create(b, value, access.pointer, access.predicate, access.cache, access.eviction);
}

void Hooks::emitAdditions(ImplicitLocOpBuilder &b, Value values, const GlobalAccess &access,
                          MemoryScope scope) const {
  AddOp::create(b, values, access.pointer, access.predicate, scope);
}

llvm::StringRef Hooks::getSyncScope(MemoryScope scope) const {
  switch (scope) {
  case MemoryScope::CTA:
    return "block";
  case MemoryScope::GPU:
    return "device";
  case MemoryScope::System:
    return "";
  }
  llvm_unreachable("all scopes are listed");
}

void Hooks::emitWarpBarrier(ImplicitLocOpBuilder &b) const {
  Value all = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
  NVVM::SyncWarpOp::create(b, all);
}

/// The instruction takes the number of bytes to read, and zeros the rest.
void Hooks::emitAsyncCopy(ImplicitLocOpBuilder &b, Value destination, const GlobalAccess &access,
                          int64_t bytes) const {
  Value read = access.bytes;
  if (access.predicate) {
    Value all = arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(bytes)));
    all = access.bytes ? access.bytes : all;
    Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    read = arith::SelectOp::create(b, access.predicate, all, none);
  }
  // What goes to on-chip memory need not stay in the cache beside it; the
  // instruction can say so for 16 bytes only.
  bool bypasses = bytes == 16 && access.cache != CacheModifier::CA;
  auto cache = bypasses ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(b, destination, access.pointer, static_cast<uint32_t>(bytes), cache,
                          read);
}

void Hooks::emitAsyncCommit(ImplicitLocOpBuilder &b) const {
  NVVM::CpAsyncCommitGroupOp::create(b);
}

void Hooks::emitAsyncWait(ImplicitLocOpBuilder &b, unsigned inFlight) const {
  NVVM::CpAsyncWaitGroupOp::create(b, inFlight);
}

void Hooks::emitPublish(ImplicitLocOpBuilder &b) const {
  MLIRContext *context = b.getContext();
  NVVM::FenceProxyOp::create(b, NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
                             NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
}

llvm::SmallVector<Value> Hooks::emitMatmulBegin(ImplicitLocOpBuilder &b,
                                                ValueRange registers) const {
  auto fence = WgmmaFenceOp::create(b, registers.getTypes(), registers);
  return llvm::to_vector_of<Value>(fence.getResults());
}

void Hooks::emitMatmulCommit(ImplicitLocOpBuilder &b) const {
  NVVM::WgmmaGroupSyncAlignedOp::create(b);
}

llvm::SmallVector<Value> Hooks::emitMatmulWait(ImplicitLocOpBuilder &b, ValueRange accumulators,
                                               unsigned inFlight) const {
  auto wait = WgmmaWaitOp::create(b, accumulators.getTypes(), accumulators, inFlight);
  return llvm::to_vector_of<Value>(wait.getResults());
}

llvm::SmallVector<Value> Hooks::emitMatrixLoad(ImplicitLocOpBuilder &b, Value address,
                                               unsigned words, bool transposed) const {
  Type i32 = b.getI32Type();
  Type type = i32;
  if (words > 1)
    type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(words, i32));
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Value loaded = NVVM::LdMatrixOp::create(b, type, address, words,
                                          transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
                                          shape, NVVM::LdStMatrixEltType::B16);
  if (words == 1)
    return {loaded};
  llvm::SmallVector<Value> parts;
  for (unsigned i = 0; i < words; ++i)
    parts.push_back(LLVM::ExtractValueOp::create(b, loaded, i));
  return parts;
}

void Hooks::emitMatrixStore(ImplicitLocOpBuilder &b, Value address, ValueRange words,
                            bool transposed) const {
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  NVVM::StMatrixOp::create(b, address, words,
                           transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row, shape,
                           NVVM::LdStMatrixEltType::B16);
}

/// Bits of a pair of 8-bit floats, as the instructions take them, to f16.
static Value widenPair(ImplicitLocOpBuilder &b, Value pair) {
  bool isE4M3 = isa<Float8E4M3FNType>(getElementTypeOrSelf(pair.getType()));
  Value bytes = arith::BitcastOp::create(b, VectorType::get(2, b.getI8Type()), pair);
  Value bits = LLVM::BitcastOp::create(b, b.getI16Type(), bytes);
  StringRef name = isE4M3 ? "llvm.nvvm.e4m3x2.to.f16x2.rn" : "llvm.nvvm.e5m2x2.to.f16x2.rn";
  return LLVM::CallIntrinsicOp::create(b, VectorType::get(2, b.getF16Type()), b.getStringAttr(name),
                                       ValueRange{bits})
      .getResult(0);
}

Value Hooks::emitCastOfPair(ImplicitLocOpBuilder &b, Value pair, Type element) const {
  Type from = getElementTypeOrSelf(pair.getType());
  if (element.isF16())
    return widenPair(b, pair);
  Value bytes;
  Type packed = VectorType::get(2, b.getI8Type());
  if (from.isF16()) {
    bytes = NVVM::ConvertF16x2ToF8x2Op::create(b, packed, pair, /*relu=*/false, element);
  } else {
    // The first operand becomes the upper byte.
    Value low = vector::ExtractOp::create(b, pair, int64_t(0));
    Value high = vector::ExtractOp::create(b, pair, int64_t(1));
    bytes = NVVM::ConvertF32x2ToF8x2Op::create(b, packed, high, low, NVVM::FPRoundingMode::RN,
                                               NVVM::SaturationMode::SATFINITE, /*relu=*/false,
                                               element);
  }
  return arith::BitcastOp::create(b, VectorType::get(2, element), bytes);
}

/// The assembler keeps what comes out of a broadcast in uniform registers.
Value Hooks::emitUniform(ImplicitLocOpBuilder &b, Value value) const {
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value width = arith::ConstantOp::create(b, b.getI32IntegerAttr(32));
  return gpu::ShuffleOp::create(b, value, zero, width, gpu::ShuffleMode::IDX).getShuffleResult();
}
