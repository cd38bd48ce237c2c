//===- OnChipMemory.h - The program's memory on chip ------------------------===//
//
// One base and 32-bit offsets. Buffers and scratch memory lie where the plan of
// stage `scheduled` puts them; what has no place there is put behind.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_TILETOGPU_ONCHIPMEMORY_H
#define TILE_CONVERSION_TILETOGPU_ONCHIPMEMORY_H

#include "compiler/conversion/TileToGPU/LayoutMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tile {

class OnChipMemory {
public:
  explicit OnChipMemory(mlir::ModuleOp module);

  /// Where the scratch memory of `op`, of `bytes`, begins.
  int64_t getScratch(mlir::Operation *op, int64_t bytes);
  /// Where a buffer without a planned place begins.
  int64_t allocate(int64_t bytes);
  /// State what the module needs.
  void finish();

  /// The address of an offset in bytes.
  mlir::Value getAddress(mlir::ImplicitLocOpBuilder &b, const ThreadOffsets::Offset &offset);
  void store(mlir::ImplicitLocOpBuilder &b, mlir::Value value, const ThreadOffsets::Offset &offset,
             unsigned alignment);
  mlir::Value load(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                   const ThreadOffsets::Offset &offset, unsigned alignment);

private:
  mlir::Value getBase(mlir::ImplicitLocOpBuilder &b);

  mlir::ModuleOp module;
  int64_t allocated, scratch = 0;
};

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_ONCHIPMEMORY_H
