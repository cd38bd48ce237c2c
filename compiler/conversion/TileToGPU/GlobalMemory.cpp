//===- GlobalMemory.cpp - Loads and stores ----------------------------------===//
//
// A thread reads and writes as many elements at once as its layout holds in a
// run, as pointers are known to be consecutive and aligned, and as share a mask.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToGPU/GlobalMemory.h"
#include "compiler/conversion/TileToGPU/Exchange.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"

using namespace mlir;
using namespace tile;

GlobalRuns tile::getGlobalRuns(Value pointer, Value mask, ThreadLowering &t, bool partial) {
  return getGlobalRuns(pointer, mask, t.target.getFact("access_bits", 32), t, partial);
}

GlobalRuns tile::getGlobalRuns(Value pointer, Value mask, int64_t maxBits, ThreadLowering &t,
                               bool partial) {
  const LinearLayout &layout = getLinearLayout(pointer.getType());
  ArrayRef<int64_t> shape = getShape(pointer.getType());
  unsigned bits = getMemoryBits(getElementType(getPointeeLike(pointer.getType())));
  unsigned bestDim = 0;
  int64_t width = 1;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    int64_t known = t.accesses.getVectorWidth(pointer, mask, dim, maxBits, partial);
    known = std::min<int64_t>(known, std::max<int64_t>(1, maxBits / bits));
    // A run never straddles the end of a padded block.
    while (known > 1 && shape[dim] % known != 0)
      known /= 2;
    int64_t here = known > 1 ? layout.getContiguity(dim, known) : 1;
    if (here > width)
      std::tie(bestDim, width) = std::pair(dim, here);
  }
  GlobalRuns runs;
  runs.width = width;
  runs.alignment = std::max(1u, bits / 8) * width;
  runs.firstCopies = getFirstCopies(layout);
  for (SmallVector<int32_t> &run : layout.getRuns(bestDim, width))
    if (runs.firstCopies[run.front()] == run.front())
      runs.registers.push_back(std::move(run));
  return runs;
}

Value tile::getLanePredicates(Value mask, Type block, ThreadLowering &t) {
  Value inside = emitInside(t.b, t.scope, getLinearLayout(block), getShape(block));
  return createAnd(t.b, t.get(mask), inside);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value tile::createZero(ImplicitLocOpBuilder &b, Type type) {
  if (isa<LLVM::LLVMPointerType>(getElementTypeOrSelf(type)))
    return LLVM::ZeroOp::create(b, type);
  return arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
}

template <typename Op> static GlobalAccess getAccess(Op op) {
  GlobalAccess access;
  access.cache = op.getCache();
  access.eviction = op.getEviction();
  return access;
}

/// All threads read the one place, or the first does for all where a second
/// read could give another value.
static LogicalResult lowerScalar(LoadOp op, ThreadLowering &t) {
  ImplicitLocOpBuilder &b = t.b;
  Type type = t.convertType(op.getType());
  GlobalAccess access = getAccess(op);
  access.isVolatile = op.getIsVolatile();
  access.pointer = t.get(op.getPointer());
  access.predicate = t.get(op.getMask());
  access.alignment = getMemoryBits(op.getType()) / 8;
  Value other;
  if (op.getIsVolatile())
    access.predicate = createAnd(b, access.predicate, createEquals(b, t.scope.getThread(), 0));
  if (access.predicate)
    other = op.getOther() ? toMemory(b, t.get(op.getOther())) : createZero(b, getMemoryType(type));
  Value value = t.hooks.emitLoad(b, getMemoryType(type), access, other);
  value = fromMemory(b, value, type);
  t.set(op, op.getIsVolatile() ? Exchange(op, t).broadcastFromFirst(value) : value);
  return success();
}

LogicalResult tile::lower(LoadOp op, ThreadLowering &t) {
  if (!isa<RankedTensorType>(op.getType()))
    return lowerScalar(op, t);
  ImplicitLocOpBuilder &b = t.b;
  auto type = cast<VectorType>(t.convertType(op.getType()));
  GlobalRuns runs = getGlobalRuns(op.getPointer(), op.getMask(), t);
  auto runType = VectorType::get(runs.width, type.getElementType());
  Type memoryType = runType.clone(getMemoryType(type.getElementType()));
  Value predicates = getLanePredicates(op.getMask(), op.getPointer().getType(), t);
  Value pointers = t.get(op.getPointer()), other = t.get(op.getOther());
  SmallVector<Value> registers(type.getNumElements());
  for (ArrayRef<int32_t> run : runs.registers) {
    GlobalAccess access = getAccess(op);
    access.isVolatile = op.getIsVolatile();
    access.pointer = t.extract(pointers, run.front());
    access.alignment = runs.alignment;
    Value otherRun;
    if (predicates) {
      access.predicate = t.extract(predicates, run.front());
      otherRun = other ? toMemory(b, t.shuffle(other, run)) : createZero(b, memoryType);
    }
    Value loaded = fromMemory(b, t.hooks.emitLoad(b, memoryType, access, otherRun), runType);
    for (auto [i, reg] : llvm::enumerate(run))
      registers[reg] = t.extract(loaded, i);
  }
  for (auto [reg, first] : llvm::enumerate(runs.firstCopies))
    registers[reg] = registers[first];
  t.set(op, t.pack(registers));
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

static LogicalResult lowerScalar(StoreOp op, ThreadLowering &t) {
  GlobalAccess access = getAccess(op);
  access.pointer = t.get(op.getPointer());
  access.predicate = createAnd(t.b, t.get(op.getMask()), createEquals(t.b, t.scope.getThread(), 0));
  access.alignment = getMemoryBits(op.getValue().getType()) / 8;
  t.hooks.emitStore(t.b, toMemory(t.b, t.get(op.getValue())), access);
  return success();
}

LogicalResult tile::lower(StoreOp op, ThreadLowering &t) {
  if (!isa<RankedTensorType>(op.getValue().getType()))
    return lowerScalar(op, t);
  ImplicitLocOpBuilder &b = t.b;
  Type block = op.getPointer().getType();
  GlobalRuns runs = getGlobalRuns(op.getPointer(), op.getMask(), t);
  Value predicates = getLanePredicates(op.getMask(), block, t);
  Value owns = emitOwnership(b, t.scope, getLinearLayout(block));
  Value pointers = t.get(op.getPointer()), value = t.get(op.getValue());
  for (ArrayRef<int32_t> run : runs.registers) {
    GlobalAccess access = getAccess(op);
    access.pointer = t.extract(pointers, run.front());
    access.alignment = runs.alignment;
    access.predicate =
        createAnd(b, predicates ? t.extract(predicates, run.front()) : Value(), owns);
    t.hooks.emitStore(b, toMemory(b, t.shuffle(value, run)), access);
  }
  return success();
}
