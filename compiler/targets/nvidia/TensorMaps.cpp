//===- TensorMaps.cpp - Tensor maps that programs make ----------------------===//
//
// They lie in an array of the module. As many programs as run at one time have places
// there, some for each multiprocessor: a program takes the first one of its own that is
// free, by a bit of a word for each multiprocessor, and gives it back at its end. So no
// launch brings memory, and launches on several streams do not meet.
//
//===----------------------------------------------------------------------===//
#include "compiler/targets/nvidia/HopperHooks.h"
#include "compiler/targets/nvidia/IR/NvidiaDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;
using namespace tile::nvidia;

/// More than any GPU has; a power of two.
static constexpr int64_t kProcessors = 256;
/// Of one multiprocessor.
static constexpr int64_t kMostWarps = 64;
static constexpr unsigned kGlobalSpace = 1;
static constexpr llvm::StringLiteral kScope = "device";

namespace {
/// Reads and writes the claims of one kernel.
class Claims {
public:
  Claims(ImplicitLocOpBuilder &b, int64_t count);

  Value claim();
  void release(Value first);

private:
  Value getGlobal(StringRef suffix, Type type, int64_t alignment);
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value getWord(Value processor);
  Value getBit(Value index) { return arith::ShLIOp::create(b, constant(1), index); }
  Value change(LLVM::AtomicBinOp kind, Value word, Value bits) {
    return LLVM::AtomicRMWOp::create(b, kind, word, bits, LLVM::AtomicOrdering::monotonic, kScope);
  }
  Value take(Value word);

  ImplicitLocOpBuilder &b;
  func::FuncOp function;
  /// Programs of a multiprocessor at one time, and bytes that each has.
  int64_t programs, bytes;
  Value words, maps;
};
} // namespace

Claims::Claims(ImplicitLocOpBuilder &b, int64_t count)
    : b(b), function(b.getInsertionBlock()->getParent()->getParentOfType<func::FuncOp>()),
      bytes(count * kTensorMapBytes) {
  int64_t warps =
      getModuleInt(function, kLaunchWarpsAttr, getModuleInt(function, kNumWarpsAttr, 1));
  programs = std::max<int64_t>(1, kMostWarps / warps);
  Type word = b.getI32Type(), byte = b.getI8Type();
  words = getGlobal("_claims", LLVM::LLVMArrayType::get(word, kProcessors), /*alignment=*/4);
  maps = getGlobal("_tensor_maps", LLVM::LLVMArrayType::get(byte, kProcessors * programs * bytes),
                   kTensorMapBytes);
}

Value Claims::getGlobal(StringRef suffix, Type type, int64_t alignment) {
  auto module = function->getParentOfType<ModuleOp>();
  std::string name = (function.getName() + suffix).str();
  auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(b, type, /*isConstant=*/false, LLVM::Linkage::Internal, name,
                                    LLVM::ZeroAttr::get(b.getContext()), alignment, kGlobalSpace);
  }
  return LLVM::AddressOfOp::create(b, global);
}

Value Claims::getWord(Value processor) {
  return LLVM::GEPOp::create(b, words.getType(), b.getI32Type(), words,
                             ArrayRef<LLVM::GEPArg>{processor});
}

/// The number of a bit that was not set: each in turn is tried.
Value Claims::take(Value word) {
  Value zero = constant(0);
  auto loop = scf::WhileOp::create(
      b, TypeRange(b.getI32Type()), ValueRange(zero),
      [&](OpBuilder &builder, Location loc, ValueRange index) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(builder.getInsertionBlock());
        Value bit = getBit(index.front());
        Value taken = arith::AndIOp::create(b, change(LLVM::AtomicBinOp::_or, word, bit), bit);
        Value isTaken = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, taken, zero);
        scf::ConditionOp::create(b, isTaken, index);
      },
      [&](OpBuilder &builder, Location loc, ValueRange index) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(builder.getInsertionBlock());
        Value next = arith::AddIOp::create(b, index.front(), constant(1));
        Value isOver = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next, constant(programs));
        scf::YieldOp::create(b, ValueRange(arith::SelectOp::create(b, isOver, zero, next)));
      });
  return loop.getResult(0);
}

Value Claims::claim() {
  Value number = NVVM::SmIdOp::create(b, b.getI32Type());
  Value processor = arith::AndIOp::create(b, number, constant(kProcessors - 1));
  Value own = take(getWord(processor));
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acquire, kScope);
  Value place = arith::MulIOp::create(b, processor, constant(programs));
  place = arith::MulIOp::create(b, arith::AddIOp::create(b, place, own), constant(bytes));
  Value address =
      LLVM::GEPOp::create(b, maps.getType(), b.getI8Type(), maps, ArrayRef<LLVM::GEPArg>{place});
  return LLVM::AddrSpaceCastOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), address);
}

void Claims::release(Value first) {
  Type i64 = b.getI64Type();
  Value base = LLVM::AddrSpaceCastOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), maps);
  Value offset = arith::SubIOp::create(b, LLVM::PtrToIntOp::create(b, i64, first),
                                       LLVM::PtrToIntOp::create(b, i64, base));
  Value place = arith::DivUIOp::create(b, arith::TruncIOp::create(b, b.getI32Type(), offset),
                                       constant(bytes));
  Value own = arith::RemUIOp::create(b, place, constant(programs));
  Value word = getWord(arith::DivUIOp::create(b, place, constant(programs)));
  Value others = arith::XOrIOp::create(b, getBit(own), constant(-1));
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::release, kScope);
  change(LLVM::AtomicBinOp::_and, word, others);
}

Value HopperHooks::emitClaimDescriptors(ImplicitLocOpBuilder &b, int64_t count) const {
  return Claims(b, count).claim();
}

void HopperHooks::emitReleaseDescriptors(ImplicitLocOpBuilder &b, Value first,
                                         int64_t count) const {
  Claims(b, count).release(first);
}

static void copyMap(ImplicitLocOpBuilder &b, Value from, Value to) {
  constexpr int32_t kWordBytes = 16;
  auto word = VectorType::get(kWordBytes / 4, b.getI32Type());
  auto at = [&](Value pointer, int32_t offset) {
    return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{offset});
  };
  for (int32_t offset = 0; offset < kTensorMapBytes; offset += kWordBytes)
    LLVM::StoreOp::create(b, LLVM::LoadOp::create(b, word, at(from, offset), kWordBytes),
                          at(to, offset), kWordBytes);
}

/// Box, element type, swizzle and padding are the template's. In global memory the
/// instructions would wait for a field that they change a part of.
void HopperHooks::emitSetDescriptor(ImplicitLocOpBuilder &b, Value desc, Value draft, Value like,
                                    Value base, ValueRange sizes, ValueRange strides) const {
  auto global = LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace);
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), base);
  copyMap(b, like, draft);
  SetTensorMapOp::create(b, draft, address, SmallVector<Value>(llvm::reverse(sizes)),
                         SmallVector<Value>(llvm::reverse(strides)));
  copyMap(b, draft, LLVM::AddrSpaceCastOp::create(b, global, desc));
}

static constexpr auto kProxyScope = NVVM::MemScopeKind::GPU;

void HopperHooks::emitPublishDescriptors(ImplicitLocOpBuilder &b) const {
  NVVM::FenceProxyReleaseOp::create(b, kProxyScope);
}

void HopperHooks::emitAcquireDescriptors(ImplicitLocOpBuilder &b, ValueRange descs) const {
  Value bytes = arith::ConstantOp::create(b, b.getI32IntegerAttr(kTensorMapBytes));
  for (Value desc : descs)
    NVVM::FenceProxyAcquireOp::create(b, kProxyScope, desc, bytes);
}
