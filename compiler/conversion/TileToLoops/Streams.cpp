//===- Streams.cpp - Stores past the caches -------------------------------===//
//
// What a launch stores beyond the size of the caches leaves them before anybody
// reads it. Written past them, its lines need not be read first: a sum of two
// long vectors moves a quarter less. How much a launch stores is known when it
// runs: programs times the bytes of a block.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Nest.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

/// About the size of a last-level cache.
static constexpr int64_t kCacheBytes = 32 << 20;
/// What arrays are aligned to, and so the size of one store.
static constexpr int64_t kPieceBytes = 16;

//===----------------------------------------------------------------------===//
// Which stores
//===----------------------------------------------------------------------===//

/// Whether no load of the kernel reads what `store` writes, and no other thread
/// is told that it is there before the program ends.
bool Emitter::mayStream(StoreOp store) {
  Value base = getBasePointer(store.getPointer());
  if (!base)
    return false;
  auto result = store->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    if (isa<AtomicRMWOp, AtomicCASOp, BarrierOp>(op))
      return WalkResult::interrupt();
    if (auto load = dyn_cast<LoadOp>(op))
      if (Value source = getBasePointer(load.getPointer()); !source || source == base)
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// At the kernel's entry: whether blocks of `bytes` bytes from all programs are more
/// than caches hold.
Value Emitter::getStreamFlag(int64_t bytes) {
  Value &flag = streamFlags[bytes];
  if (flag)
    return flag;
  Value limit = getIndex(kCacheBytes / bytes), total;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(limit);
  Location loc = kernel.getLoc();
  for (int32_t axis = 0; axis < 3; ++axis) {
    Value slot =
        LLVM::GEPOp::create(builder, loc, arguments.position.getType(), builder.getI32Type(),
                            arguments.position, ArrayRef<LLVM::GEPArg>{axis + 3});
    Value extent = LLVM::LoadOp::create(builder, loc, builder.getI32Type(), slot);
    extent = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), extent);
    total = total ? arith::MulIOp::create(builder, loc, total, extent).getResult() : extent;
  }
  return flag = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, total, limit);
}

/// Order streamed stores before whatever tells others that the program has ended.
void Emitter::finishStreams() {
  Value any;
  for (auto [bytes, flag] : streamFlags)
    any = any ? arith::OrIOp::create(builder, kernel.getLoc(), any, flag).getResult() : flag;
  if (!any)
    return;
  auto branch = scf::IfOp::create(builder, kernel.getLoc(), any, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  LLVM::FenceOp::create(builder, kernel.getLoc(), LLVM::AtomicOrdering::seq_cst);
}

//===----------------------------------------------------------------------===//
// How they are written
//===----------------------------------------------------------------------===//

/// Whether a store of a whole chunk goes past the caches; null where it never does.
Value Nest::getStreamCondition(const Address &address, Type memory) {
  int64_t bytes = getByteWidth(memory);
  bool isLoop = current->shape[laneDim] > width;
  if (!isLoop || address.kind != Address::Consecutive || address.guard ||
      width * bytes < 4 * kPieceBytes)
    return nullptr;
  int64_t elements = ShapedType::getNumElements(current->shape);
  Value flag = emitter.getStreamFlag(elements * bytes);
  Value integer = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), address.pointer);
  Value rest = arith::AndIOp::create(builder, loc, integer, emitter.getIndex(kPieceBytes - 1));
  Value isAligned =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest, emitter.getIndex(0));
  return arith::AndIOp::create(builder, loc, flag, isAligned);
}

void Nest::storeStreamed(Value stored, const Address &address, Type memory, Value condition) {
  auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  storeConsecutive(stored, address.pointer, memory, nullptr);
  builder.setInsertionPointToStart(branch.thenBlock());
  int64_t piece = kPieceBytes / getByteWidth(memory);
  for (int64_t first = 0; first < width; first += piece) {
    auto lanes = llvm::to_vector(llvm::seq<int64_t>(first, first + piece));
    Value part = vector::ShuffleOp::create(builder, loc, stored, stored, lanes);
    Value place =
        LLVM::GEPOp::create(builder, loc, address.pointer.getType(), memory, address.pointer,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(first)});
    LLVM::StoreOp::create(builder, loc, part, place, kPieceBytes, /*isVolatile=*/false,
                          /*isNonTemporal=*/true);
  }
}
