//===- StoreOrder.h - Blocks that one program stores to one place -----------===//
//
// Copies complete in any order. What programs store is ordered within each of them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STOREORDER_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STOREORDER_H

#include "dialects/tile/IR/TileOps.h"

#include "llvm/ADT/DenseSet.h"

namespace tile {

/// A marked store, or combination with what an array holds.
struct BlockStore {
  mlir::Operation *op;

  mlir::Value getDesc() const { return op->getOperand(0); }
  /// The array that it writes to; null: unknown.
  mlir::Value getArray() const;
  mlir::ValueRange getIndices() const;
  llvm::ArrayRef<int64_t> getBlockShape() const;
  /// Whether one program may come by it twice.
  bool isRepeated() const;
  /// Whether indices tell places: its descriptor is the same in all loops around it.
  bool isDescribedOnce() const;
  /// Whether both are of one array, as far as that is known.
  bool maySharePlaces(const BlockStore &other) const;
};

/// Marked stores and combinations below `root`.
llvm::SmallVector<mlir::Operation *> collectStores(mlir::Operation *root);

/// Those of `stores`, which are in the order of the code, that begin when what the program
/// has stored before is written: they may be of the same places. Sums come in any order.
llvm::DenseSet<mlir::Operation *> findLaterStores(llvm::ArrayRef<mlir::Operation *> stores);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STOREORDER_H
