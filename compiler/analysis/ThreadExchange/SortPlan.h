//===- SortPlan.h - How threads sort rows together ----------------------------===//
//
// A bitonic network over the bits of the index along the last dimension. Runs of
// two, four, ... elements are sorted, in turns up and down, and merged. Where the
// first few elements are wanted, runs of that many are merged by keeping the
// smaller of each pair, so that the rest falls away early.
//
// A bit is compared in registers or between lanes. One that selects warps first
// changes places with a bit of the registers, through on-chip memory.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_THREADEXCHANGE_SORTPLAN_H
#define TILE_ANALYSIS_THREADEXCHANGE_SORTPLAN_H

#include "compiler/analysis/LinearLayout/LinearLayout.h"
#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace tile {

struct SortStep {
  enum Kind {
    /// From now on elements whose index has bit `bit` (-1: none) are in falling order.
    Direct,
    /// Put elements whose indices differ in `bit` alone in order.
    Compare,
    /// Of two such elements keep the smaller; higher bits move down by one.
    Keep,
    /// Bring the block to `layout`.
    Move
  };
  Kind kind;
  int bit = -1;
  /// After the step; of Move and Keep.
  LinearLayout layout = {};
};

struct SortPlan {
  LinearLayout first, last;
  std::vector<SortStep> steps;
};

/// Sort rows of `shape` in ascending order, and keep `count` elements of each.
/// Layouts cover rows of a power of two: what is beyond `shape` must be larger
/// than any element.
SortPlan planSort(llvm::ArrayRef<int64_t> shape, int64_t count, int64_t lanes, int64_t warps);

/// The register, lane or warp bit that moves by 2^bit along the last dimension.
InputBit findSortedBit(const LinearLayout &layout, unsigned bit);

} // namespace tile

#endif // TILE_ANALYSIS_THREADEXCHANGE_SORTPLAN_H
