//===- StoreParts.h - Blocks that warps store by themselves -----------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STOREPARTS_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STOREPARTS_H

#include "dialects/tile/IR/BlockCopy.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseSet.h"

namespace tile {

/// The layout in which threads have the block of a marked store.
LayoutAttr getStoredLayout(mlir::Operation *store);
/// How the function's marked stores are made.
struct StorePlan {
  /// By each warp the part that it has of a block.
  bool byWarps = false;
  /// Those whose parts may meet parts of other warps: they wait for each other.
  llvm::DenseSet<mlir::Operation *> inTurns;
};
StorePlan planStores(mlir::func::FuncOp function);
/// What one copy of a marked access moves, where thread blocks do not share the work.
BlockCopyBox getAccessBox(mlir::Operation *access, bool byWarps);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STOREPARTS_H
