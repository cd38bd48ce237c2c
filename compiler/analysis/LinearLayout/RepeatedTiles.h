//===- RepeatedTiles.h - Layouts that repeat alike ---------------------------===//
//
// Where two layouts repeat tiles of one size in the same way, converting is
// converting the tile, once for each repeat.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LINEARLAYOUT_REPEATEDTILES_H
#define TILE_ANALYSIS_LINEARLAYOUT_REPEATEDTILES_H

#include "compiler/analysis/LinearLayout/LinearLayout.h"

namespace tile {

using RegisterCopies = llvm::SmallVector<std::pair<int32_t, int32_t>>;

/// Two layouts without redundant registers, and where their tiles correspond.
struct RepeatedTiles {
  LinearLayout source, result;
  /// Register numbers in the original layouts.
  llvm::SmallVector<int32_t> keptSource, keptResult;
  /// Registers of the original result that are copies: (copy, original).
  RegisterCopies copies;
  /// First registers of corresponding tiles, in `source` and `result`.
  llvm::SmallVector<std::pair<int64_t, int64_t>> bases;

  /// Nothing if tiles differ in size, or repeats of some dimension or of some
  /// kind of thread differ.
  static std::optional<RepeatedTiles> match(const LinearLayout &source, const LinearLayout &result);
};

/// Registers of `layout` that are not in `kept` with their original in `kept`.
RegisterCopies findCopies(const LinearLayout &layout, llvm::ArrayRef<int32_t> kept);

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_REPEATEDTILES_H
