//===- StoreParts.h - Blocks that warps store by themselves -----------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STOREPARTS_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STOREPARTS_H

#include "dialects/tile/IR/BlockCopy.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile {

/// The layout in which threads have the block of a marked store.
LayoutAttr getStoredLayout(mlir::Operation *store);
/// Whether each warp can store the part that it has of whatever marked stores write.
bool storesByWarps(mlir::func::FuncOp function);
/// What one copy of a marked access moves, where thread blocks do not share the work.
BlockCopyBox getAccessBox(mlir::Operation *access, bool byWarps);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STOREPARTS_H
