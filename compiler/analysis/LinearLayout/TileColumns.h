//===- TileColumns.h - Columns of a layout cut to a smaller tile -----------===//
//
// Two layouts of one tensor may have tiles of different sizes; planning works
// on the part that both are linear on.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LINEARLAYOUT_TILECOLUMNS_H
#define TILE_ANALYSIS_LINEARLAYOUT_TILECOLUMNS_H

#include "compiler/analysis/LinearLayout/LinearLayout.h"

namespace tile {

/// A layout's columns as packed coordinates of a tile of `tileShape`.
struct TileColumns {
  TileColumns(const LinearLayout &layout, llvm::ArrayRef<int64_t> tileShape);

  /// Images of register, lane, warp and block bits.
  llvm::SmallVector<uint64_t> registers, lanes, warps, blocks;
  /// What the registers reach without leaving the small tile: images of
  /// register numbers that do not move above it.
  llvm::SmallVector<uint64_t> reachable;
  /// Bits of a packed coordinate.
  unsigned bits = 0;

  /// All bits that differ between threads.
  llvm::SmallVector<uint64_t> getThreads() const;
};

/// {1, 2, 4, ...}
llvm::SmallVector<uint64_t> getUnitVectors(unsigned bits);

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_TILECOLUMNS_H
