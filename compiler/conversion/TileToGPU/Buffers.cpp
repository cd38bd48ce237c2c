//===- Buffers.cpp - Blocks in on-chip memory -------------------------------===//
#include "compiler/conversion/TileToGPU/GlobalMemory.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"
#include "compiler/conversion/TileToGPU/MatrixAccess.h"
#include "compiler/conversion/TileToGPU/SkewedStore.h"

using namespace mlir;
using namespace tile;

LogicalResult tile::lower(BufferAllocOp op, ThreadLowering &t) {
  std::optional<uint32_t> planned = op.getOffset();
  int64_t offset = planned ? *planned : t.memory.allocate(op.getType().getBytes());
  t.set(op, createI32(t.b, offset));
  return success();
}

LogicalResult tile::lower(BufferViewOp op, ThreadLowering &t) {
  int64_t bytes = op.getSource().getType().getBlockBytes();
  Value offset = createMul(t.b, t.get(op.getIndex()), bytes);
  t.set(op, createAdd(t.b, t.get(op.getSource()), offset));
  return success();
}

LogicalResult tile::lower(BufferTransposeOp op, ThreadLowering &t) {
  t.set(op, t.get(op.getSource()));
  return success();
}

namespace {
/// How the threads that hold a block reach it in a buffer.
struct Transfer {
  Transfer(BufferType buffer, Type block, ThreadLowering &t)
      : element(t.convertType(buffer.getElementType())),
        bits(getMemoryBits(buffer.getElementType())), registers(getLinearLayout(block)),
        access(AccessMap::get(registers, buffer.getLayout().getLayout())) {
    width = access.getVectorWidth(t.target.getFact("access_bits", 32) / bits);
    accesses = getVectorAccesses(access, registers.getInSize(Dim::Register), width);
  }
  unsigned getAlignment() const { return bits / 8 * width; }
  VectorType getType() const { return VectorType::get(width, element); }

  Type element;
  unsigned bits;
  const LinearLayout &registers;
  AccessMap access;
  int64_t width;
  SmallVector<VectorAccess> accesses;
};
} // namespace

LogicalResult tile::lower(BufferStoreOp op, ThreadLowering &t) {
  if (op.getBuffer().getType().isStack())
    return op.emitOpError("expects one block, got a stack of them");
  Transfer transfer(op.getBuffer().getType(), op.getValue().getType(), t);
  Value base = t.get(op.getBuffer()), vector = t.get(op.getValue());
  if (emitMatrixStores(t, transfer.registers, transfer.access, transfer.element, base, vector))
    return success();
  LinearLayout layout = transfer.registers;
  const LinearLayout &memory = op.getBuffer().getType().getLayout().getLayout();
  skewStore(t, layout, vector, memory, transfer.width, transfer.bits);
  AccessMap access = AccessMap::get(layout, memory);
  ThreadOffsets offsets(t.b, t.scope, access, transfer.bits / 8, base);
  SmallVector<int32_t> firstCopies = getFirstCopies(layout);
  for (const VectorAccess &registers :
       getVectorAccesses(access, layout.getInSize(Dim::Register), transfer.width)) {
    if (firstCopies[registers.front()] != registers.front())
      continue;
    t.memory.store(t.b, toMemory(t.b, t.shuffle(vector, registers)), offsets.get(registers.front()),
                   transfer.getAlignment());
  }
  return success();
}

LogicalResult tile::lower(BufferLoadOp op, ThreadLowering &t) {
  if (op.getBuffer().getType().isStack())
    return op.emitOpError("expects one block, got a stack of them");
  Transfer transfer(op.getBuffer().getType(), op.getType(), t);
  Value base = t.get(op.getBuffer());
  if (SmallVector<Value> registers =
          emitMatrixLoads(t, transfer.registers, transfer.access, transfer.element, base);
      !registers.empty()) {
    t.set(op, t.pack(registers));
    return success();
  }
  ThreadOffsets offsets(t.b, t.scope, transfer.access, transfer.bits / 8, base);
  VectorType type = transfer.getType();
  Type inMemory = type.clone(getMemoryType(type.getElementType()));
  SmallVector<Value> registers(transfer.registers.getInSize(Dim::Register));
  for (const VectorAccess &access : transfer.accesses) {
    Value read = t.memory.load(t.b, inMemory, offsets.get(access.front()), transfer.getAlignment());
    read = fromMemory(t.b, read, type);
    for (auto [i, reg] : llvm::enumerate(access))
      registers[reg] = t.extract(read, i);
  }
  t.set(op, t.pack(registers));
  return success();
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// The widest copy of the target that moves whole runs; 0 if none does. A target
/// without asynchronous copies moves any run.
static int64_t getCopyBytes(ThreadLowering &t, int64_t runBytes) {
  if (t.target.getAsyncCopyBytes().empty())
    return runBytes;
  int64_t best = 0;
  for (int64_t bytes : t.target.getAsyncCopyBytes())
    if (bytes <= runBytes)
      best = std::max(best, bytes);
  return best;
}

/// Whether registers that lie side by side on chip do so in the array too.
static bool isPartOfRun(ArrayRef<int32_t> registers, const GlobalRuns &runs) {
  return llvm::any_of(runs.registers, [&](ArrayRef<int32_t> run) {
    const int32_t *first = llvm::find(run, registers.front());
    return run.end() - first >= static_cast<int64_t>(registers.size()) &&
           std::equal(registers.begin(), registers.end(), first);
  });
}

/// Whether each copy of so many elements reads all of them or none.
static bool isAllOrNothing(AsyncCopyOp op, int64_t width, ThreadLowering &t) {
  return getGlobalRuns(op.getPointer(), op.getMask(), t).width >= width;
}

/// Bytes of those elements of a copy that are read: the first ones.
static Value countBytes(ImplicitLocOpBuilder &b, Value predicates, ArrayRef<int32_t> registers,
                        int64_t elementBytes, ThreadLowering &t) {
  Value size =
      arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(elementBytes)));
  Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0)), sum = none;
  for (int32_t reg : registers)
    sum = arith::AddIOp::create(b, sum,
                                arith::SelectOp::create(b, t.extract(predicates, reg), size, none));
  return sum;
}

LogicalResult tile::lower(AsyncCopyOp op, ThreadLowering &t) {
  ImplicitLocOpBuilder &b = t.b;
  Type block = op.getPointer().getType();
  Transfer transfer(op.getBuffer().getType(), block, t);
  bool canBePartial = !t.target.getAsyncCopyBytes().empty();
  GlobalRuns runs = getGlobalRuns(op.getPointer(), op.getMask(), t, canBePartial);
  int64_t elementBytes = transfer.bits / 8;
  int64_t bytes = getCopyBytes(t, std::min(runs.width, transfer.width) * elementBytes);
  if (bytes == 0)
    return op.emitOpError("expects runs of elements as long as an asynchronous copy of the "
                          "target, got ")
           << std::min(runs.width, transfer.width) * elementBytes << " bytes";
  int64_t width = bytes / elementBytes;
  Value predicates = getLanePredicates(op.getMask(), block, t);
  bool isPartial = op.getMask() && !isAllOrNothing(op, width, t);
  Value pointers = t.get(op.getPointer());
  ThreadOffsets offsets(b, t.scope, transfer.access, elementBytes, t.get(op.getBuffer()));
  for (const VectorAccess &registers :
       getVectorAccesses(transfer.access, transfer.registers.getInSize(Dim::Register), width)) {
    int32_t first = registers.front();
    if (runs.firstCopies[first] != first)
      continue;
    if (!isPartOfRun(registers, runs))
      return op.emitOpError("expects a buffer whose elements run as those of the array do");
    GlobalAccess access;
    access.pointer = t.extract(pointers, first);
    if (isPartial)
      access.bytes = countBytes(b, predicates, registers, elementBytes, t);
    else if (predicates)
      access.predicate = t.extract(predicates, first);
    access.cache = op.getCache();
    access.eviction = op.getEviction();
    access.alignment = bytes;
    t.hooks.emitAsyncCopy(b, t.memory.getAddress(b, offsets.get(first)), access, bytes);
  }
  t.set(op, t.get(op.getBuffer()));
  return success();
}

LogicalResult tile::lower(CommitOp op, ThreadLowering &t) {
  t.hooks.emitAsyncCommit(t.b);
  for (auto [pending, committed] : llvm::zip(op.getPending(), op.getCommitted()))
    t.set(committed, t.get(pending));
  return success();
}

LogicalResult tile::lower(AwaitOp op, ThreadLowering &t) {
  t.hooks.emitAsyncWait(t.b, op.getInFlight());
  for (auto [pending, value] : llvm::zip(op.getPending(), op.getValues()))
    t.set(value, t.get(pending));
  return success();
}
