//===- StoreOrder.h - Blocks that one program stores to one place -----------===//
//
// Copies complete in any order. What programs store is ordered within each of them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STOREORDER_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STOREORDER_H

#include "compiler/analysis/BlockStore/BlockStore.h"

#include "llvm/ADT/DenseSet.h"

namespace tile {

/// Marked stores and combinations below `root`.
llvm::SmallVector<mlir::Operation *> collectStores(mlir::Operation *root);

/// Those of `stores`, which are in the order of the code, that begin when what the program
/// has stored before is written: they may be of the same places. Sums come in any order.
llvm::DenseSet<mlir::Operation *> findLaterStores(llvm::ArrayRef<mlir::Operation *> stores);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STOREORDER_H
