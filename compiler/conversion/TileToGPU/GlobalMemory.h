//===- GlobalMemory.h - How a block's accesses are grouped ------------------===//
#ifndef TILE_CONVERSION_TILETOGPU_GLOBALMEMORY_H
#define TILE_CONVERSION_TILETOGPU_GLOBALMEMORY_H

#include "compiler/conversion/TileToGPU/ThreadLowering.h"

namespace tile {

/// The accesses of each thread to a block of pointers.
struct GlobalRuns {
  int64_t width = 1;
  unsigned alignment = 1; // bytes
  /// `width` registers each; copies within a thread are left out.
  llvm::SmallVector<llvm::SmallVector<int32_t>> registers;
  /// For every register the one that holds the same element and is accessed.
  llvm::SmallVector<int32_t> firstCopies;
};

/// Of accesses as wide as the machine has, or of at most `maxBits`. `partial`: accesses can leave
/// out their last elements.
GlobalRuns getGlobalRuns(mlir::Value pointer, mlir::Value mask, ThreadLowering &t,
                         bool partial = false);
GlobalRuns getGlobalRuns(mlir::Value pointer, mlir::Value mask, int64_t maxBits, ThreadLowering &t,
                         bool partial = false);

/// Where the mask is true and the element is not padding: a vector of i1; null:
/// everywhere. `mask` may be null.
mlir::Value getLanePredicates(mlir::Value mask, mlir::Type block, ThreadLowering &t);

/// Zero of a scalar or vector type, pointers included.
mlir::Value createZero(mlir::ImplicitLocOpBuilder &b, mlir::Type type);

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_GLOBALMEMORY_H
