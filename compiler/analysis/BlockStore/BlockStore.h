//===- BlockStore.h - Where a program stores blocks by descriptors ----------===//
#ifndef TILE_COMPILER_ANALYSIS_BLOCKSTORE_BLOCKSTORE_H
#define TILE_COMPILER_ANALYSIS_BLOCKSTORE_BLOCKSTORE_H

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "dialects/tile/IR/TileOps.h"

namespace tile {

/// A store by a descriptor, or a combination with what an array holds.
struct BlockStore {
  mlir::Operation *op;

  mlir::Value getDesc() const { return op->getOperand(0); }
  /// The array that it writes to; null: unknown.
  mlir::Value getArray() const;
  mlir::ValueRange getIndices() const;
  llvm::ArrayRef<int64_t> getBlockShape() const;
  /// The loops around it in which one program goes, from the inside out.
  llvm::SmallVector<mlir::Operation *> getLoops() const;
  /// Whether one program may come by it twice.
  bool isRepeated() const;
  /// Whether indices tell places: its descriptor is the same in all loops around it.
  bool isDescribedOnce() const;
  /// Whether each iteration of the loops around it stores to another place of one array.
  bool movesOn() const;
  /// Whether its index along `dim` is the same in all iterations.
  bool staysAt(unsigned dim) const;
  /// Whether its index along `dim` is a multiple of the block's side: such blocks are at one
  /// place or apart.
  bool isAligned(unsigned dim, const AccessAnalysis &patterns) const;
  /// Whether both are of one array, as far as that is known.
  bool maySharePlaces(const BlockStore &other) const;
};

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_BLOCKSTORE_BLOCKSTORE_H
