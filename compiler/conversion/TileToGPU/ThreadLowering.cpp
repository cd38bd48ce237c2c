//===- ThreadLowering.cpp - One function, from blocks to one thread ---------===//
#include "compiler/conversion/TileToGPU/ThreadLowering.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tile;

/// LLVM's number of the address space of global memory, the same for all GPUs.
static constexpr unsigned kGlobalSpace = 1;

ThreadLowering::ThreadLowering(func::FuncOp function, const GPUHooks &hooks, OnChipMemory &memory)
    : b(function.getLoc(), function), hooks(hooks),
      scope(hooks, getTarget(function).getLanes(), getModuleInt(function, kNumWarpsAttr, 1)),
      memory(memory), accesses(function), target(getTarget(function)), function(function) {}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

const LinearLayout &tile::getLinearLayout(Type block) { return getLayout(block).getLayout(); }

Type ThreadLowering::convertType(Type type) const {
  if (auto block = dyn_cast<RankedTensorType>(type))
    return VectorType::get(getLinearLayout(type).getInSize(Dim::Register),
                           convertType(block.getElementType()));
  if (isa<PtrType>(type))
    return LLVM::LLVMPointerType::get(type.getContext(), kGlobalSpace);
  if (isa<BufferType, SignalsType>(type))
    return IntegerType::get(type.getContext(), 32);
  if (isa<DescType>(type))
    return LLVM::LLVMPointerType::get(type.getContext());
  if (auto pending = dyn_cast<PendingType>(type))
    return getTypeInFlight(convertType(pending.getValue()));
  return type;
}

Type tile::getTypeInFlight(Type type) {
  constexpr int64_t kWordBits = 32;
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getElementTypeBitWidth() >= kWordBits)
    return type;
  int64_t bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  return VectorType::get(bits / kWordBits, IntegerType::get(type.getContext(), kWordBits));
}

Type tile::getMemoryType(Type element) {
  if (auto number = dyn_cast<FloatType>(element); number && number.getWidth() == 8)
    return IntegerType::get(element.getContext(), 8);
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8) : element;
}

/// `type` with its element type, or itself, replaced.
static Type replaceElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

Value tile::toMemory(ImplicitLocOpBuilder &b, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  Type inMemory = getMemoryType(element);
  if (inMemory == element)
    return value;
  Type type = replaceElement(value.getType(), inMemory);
  if (element.isInteger(1))
    return arith::ExtUIOp::create(b, type, value);
  return arith::BitcastOp::create(b, type, value);
}

Value tile::fromMemory(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (!getElementTypeOrSelf(type).isInteger(1))
    return arith::BitcastOp::create(b, type, value);
  Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

SmallVector<Value> ThreadLowering::get(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return get(value); });
}

SmallVector<Value> ThreadLowering::unpack(Value vector) {
  if (auto known = packed.find(vector); known != packed.end())
    return known->second;
  SmallVector<Value> registers;
  for (int64_t i = 0, end = cast<VectorType>(vector.getType()).getNumElements(); i < end; ++i)
    registers.push_back(extract(vector, i));
  return registers;
}

Value ThreadLowering::pack(ArrayRef<Value> registers) {
  auto type = VectorType::get(registers.size(), registers.front().getType());
  Value vector = vector::FromElementsOp::create(b, type, registers);
  packed[vector].assign(registers.begin(), registers.end());
  return vector;
}

Value ThreadLowering::extract(Value value, int64_t index) {
  if (!isa<VectorType>(value.getType()))
    return value;
  if (auto known = packed.find(value); known != packed.end())
    return known->second[index];
  return vector::ExtractOp::create(b, value, index);
}

Value ThreadLowering::shuffle(Value vector, ArrayRef<int32_t> source) {
  bool isIdentity = cast<VectorType>(vector.getType()).getNumElements() == int64_t(source.size());
  for (size_t i = 0; isIdentity && i < source.size(); ++i)
    isIdentity = source[i] == int32_t(i) || source[i] < 0;
  return isIdentity ? vector : shuffle(vector, vector, source);
}

Value ThreadLowering::shuffle(Value first, Value second, ArrayRef<int32_t> source) {
  SmallVector<int64_t> mask(source.begin(), source.end()); // -1 is poison there too
  return vector::ShuffleOp::create(b, first, second, mask);
}

//===----------------------------------------------------------------------===//
// Walking the code
//===----------------------------------------------------------------------===//

LogicalResult ThreadLowering::lowerRegion(Region &from, Region &to) {
  for (Block &block : from) {
    Block *lowered = b.createBlock(&to, to.end());
    mapping.map(&block, lowered);
    for (BlockArgument argument : block.getArguments())
      set(argument, lowered->addArgument(convertType(argument.getType()), argument.getLoc()));
  }
  for (Block &block : from) {
    b.setInsertionPointToEnd(mapping.lookup(&block));
    for (Operation &op : block)
      if (failed(lowerOperation(&op)))
        return failure();
  }
  return success();
}

/// Operations of upstream's dialects mean on vectors what they mean on blocks.
static bool isGeneric(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                         cf::ControlFlowDialect, func::FuncDialect, ub::UBDialect>(
      op->getDialect());
}

LogicalResult ThreadLowering::lowerGeneric(Operation *op) {
  if (!isGeneric(op))
    return op->emitOpError("has no lowering to the code of one thread");
  Operation *lowered = op->cloneWithoutRegions(mapping);
  for (OpResult result : lowered->getResults())
    result.setType(convertType(result.getType()));
  b.insert(lowered);
  OpBuilder::InsertionGuard guard(b);
  for (auto [from, to] : llvm::zip(op->getRegions(), lowered->getRegions()))
    if (failed(lowerRegion(from, to)))
      return failure();
  return success();
}

LogicalResult ThreadLowering::lowerOperation(Operation *op) {
  b.setLoc(op->getLoc());
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::ConstantOp, arith::CmpIOp, AddPtrOp, PtrToIntOp, IntToPtrOp, CastPtrOp, CastOp,
            ArangeOp, SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, JoinOp, SplitOp,
            GatherOp, CatOp, ExtractOp, MapOp, InlineAsmOp, HintOp, ConvertLayoutOp, LoadOp,
            StoreOp, AtomicRMWOp, AtomicCASOp, AtomicLoadOp, AtomicStoreOp, AtomicPollOp, TimerOp,
            ReduceOp, DotOp, ScanOp, SortOp, HistogramOp, BufferAllocOp, BufferViewOp,
            BufferTransposeOp, BufferLoadOp, BufferStoreOp, AsyncCopyOp, CommitOp, AwaitOp,
            AsyncDotOp, PendOp, AwaitDotsOp, SignalAllocOp, AcquireOp, ArriveOp,
            ArriveCopiesOp, ExpectOp,
            BlockCopyOp, BlockStoreOp, AwaitBlockStoresOp, DescriptorAllocOp, DescriptorSetOp,
            DescriptorPublishOp, DescriptorFreeOp, RolesOp, ProgramIdOp, NumProgramsOp, PartIdOp,
            BarrierOp, PrintOp, AssertOp>([&](auto known) { return lower(known, *this); })
      .Default([&](Operation *other) { return lowerGeneric(other); });
}

/// What divides a pointer is its alignment, in LLVM's words.
void ThreadLowering::convertArguments(func::FuncOp lowered) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (const RoleHooks *roles = hooks.getRoleHooks(); roles && isa<DescType>(argument.getType()))
      roles->describeArgument(lowered, i);
    if (!isa<PtrType>(argument.getType()))
      continue;
    lowered.removeArgAttr(i, kReadOnlyAttr);
    if (auto divisibility = function.getArgAttrOfType<IntegerAttr>(i, kDivisibilityAttr))
      lowered.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                         b.getI64IntegerAttr(divisibility.getInt()));
    lowered.removeArgAttr(i, kDivisibilityAttr);
  }
}

LogicalResult ThreadLowering::run() {
  auto lowered = cast<func::FuncOp>(function->cloneWithoutRegions());
  b.insert(lowered);
  SmallVector<Type> inputs, results;
  for (Type type : function.getArgumentTypes())
    inputs.push_back(convertType(type));
  for (Type type : function.getResultTypes())
    results.push_back(convertType(type));
  lowered.setFunctionType(b.getFunctionType(inputs, results));
  convertArguments(lowered);
  Region &body = lowered.getBody();
  if (function.isExternal())
    return function->erase(), success();
  // The entry block begins with the thread's place.
  Block &entry = function.getBody().front();
  Block *start = b.createBlock(&body, body.end(), inputs,
                               SmallVector<Location>(inputs.size(), function.getLoc()));
  scope.enter(b, getModuleInt(function, kLaunchWarpsAttr, scope.getNumWarps()));
  mapping.map(&entry, start);
  for (auto [from, to] : llvm::zip(entry.getArguments(), start->getArguments()))
    set(from, to);
  for (Block &block : llvm::drop_begin(function.getBody())) {
    Block *next = b.createBlock(&body, body.end());
    mapping.map(&block, next);
    for (BlockArgument argument : block.getArguments())
      set(argument, next->addArgument(convertType(argument.getType()), argument.getLoc()));
  }
  for (Block &block : function.getBody()) {
    b.setInsertionPointToEnd(mapping.lookup(&block));
    for (Operation &op : block)
      if (failed(lowerOperation(&op)))
        return failure();
  }
  function->erase();
  return success();
}
