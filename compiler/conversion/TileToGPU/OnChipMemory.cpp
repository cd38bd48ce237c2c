//===- OnChipMemory.cpp - The program's memory on chip ----------------------===//
#include "compiler/conversion/TileToGPU/OnChipMemory.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;

/// The symbol of the program's on-chip memory, sized at launch.
static constexpr llvm::StringLiteral kMemoryName = "tile_on_chip_memory";
/// LLVM's number of the address space, the same for all GPUs.
static constexpr unsigned kAddressSpace = 3;
/// What swizzled layouts and wide copies want of a buffer.
static constexpr int64_t kAlignment = 1024;
static constexpr int64_t kScratchAlignment = 16;

OnChipMemory::OnChipMemory(ModuleOp module)
    : module(module), allocated(getModuleInt(module, kSharedBytesAttr, 0)) {}

int64_t OnChipMemory::allocate(int64_t bytes) {
  int64_t offset = llvm::alignTo(allocated, kAlignment);
  allocated = offset + bytes;
  return offset;
}

/// Unplanned scratch memory is shared by all ops: each use is behind a barrier.
int64_t OnChipMemory::getScratch(Operation *op, int64_t bytes) {
  if (auto planned = op->getAttrOfType<IntegerAttr>(kScratchOffsetAttr))
    return planned.getInt();
  scratch = std::max(scratch, bytes);
  return llvm::alignTo(allocated, kScratchAlignment);
}

void OnChipMemory::finish() {
  int64_t bytes = allocated;
  if (scratch > 0)
    bytes = llvm::alignTo(allocated, kScratchAlignment) + scratch;
  Builder builder(module.getContext());
  module->setAttr(kSharedBytesAttr, builder.getI32IntegerAttr(static_cast<int32_t>(bytes)));
}

Value OnChipMemory::getBase(ImplicitLocOpBuilder &b) {
  auto global = module.lookupSymbol<LLVM::GlobalOp>(kMemoryName);
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
    global = LLVM::GlobalOp::create(b, type, /*isConstant=*/false, LLVM::Linkage::External,
                                    kMemoryName, Attribute(), kAlignment, kAddressSpace);
  }
  return LLVM::AddressOfOp::create(b, global);
}

/// The constant comes last, so that code generators find it as an immediate.
Value OnChipMemory::getAddress(ImplicitLocOpBuilder &b, const ThreadOffsets::Offset &offset) {
  Value address = getBase(b);
  if (offset.variable)
    address = LLVM::GEPOp::create(b, address.getType(), b.getI8Type(), address,
                                  ArrayRef<LLVM::GEPArg>{offset.variable});
  if (offset.constant)
    address = LLVM::GEPOp::create(b, address.getType(), b.getI8Type(), address,
                                  ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset.constant)});
  return address;
}

void OnChipMemory::store(ImplicitLocOpBuilder &b, Value value, const ThreadOffsets::Offset &offset,
                         unsigned alignment) {
  LLVM::StoreOp::create(b, value, getAddress(b, offset), alignment);
}

Value OnChipMemory::load(ImplicitLocOpBuilder &b, Type type, const ThreadOffsets::Offset &offset,
                         unsigned alignment) {
  return LLVM::LoadOp::create(b, type, getAddress(b, offset), alignment);
}
