//===- ReductionPlan.h - How threads reduce a block together ----------------===//
//
// A reduction goes from the inside out: registers of a thread, lanes of a warp
// by shuffles, and then warps, by a conversion to a layout in which each thread
// holds the partial results of all warps.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_THREADEXCHANGE_REDUCTIONPLAN_H
#define TILE_ANALYSIS_THREADEXCHANGE_REDUCTIONPLAN_H

#include "compiler/analysis/LinearLayout/LinearLayout.h"
#include "llvm/ADT/ArrayRef.h"

namespace tile {

struct ReductionPlan {
  /// Register `k + kept * i` of the first step is register order[that] of the
  /// source; those with one k are combined.
  llvm::SmallVector<int32_t> order;
  int64_t kept = 1;
  /// Lanes whose index differs by one of these are combined, one after the other.
  llvm::SmallVector<uint64_t> laneSteps;
  /// With the first of these steps each of the two lanes goes on with half of the registers: the
  /// one whose bit is set with those that have this bit of their number set, which it loses.
  llvm::SmallVector<unsigned> splitBits;
  /// Where the partial results lie then: the axis counts warps.
  LinearLayout partial;
  /// Partial results along the axis.
  int64_t warps = 1;
};

/// Nothing where a step of a lane or warp moves along the axis and another
/// dimension at once: convert such a layout first.
std::optional<ReductionPlan> planReduction(const LinearLayout &source, unsigned axis);

/// The same; where results go through memory in any case, since warps are combined, lanes split
/// the registers: each step takes half as many shuffles as the one before.
std::optional<ReductionPlan> planSplitReduction(const LinearLayout &source, unsigned axis);

/// A layout of `shape` that planReduction takes, whatever the axis.
LinearLayout getReducibleLayout(llvm::ArrayRef<int64_t> shape, int64_t lanes, int64_t warps);

/// The layout in which every thread that holds an element of `result` (a layout
/// without the axis; for a scalar null) holds all `warps` partial results:
/// outermost registers.
LinearLayout getGatheredLayout(const LinearLayout *result, unsigned axis, int64_t warps,
                               int64_t lanes, int64_t numWarps);

} // namespace tile

#endif // TILE_ANALYSIS_THREADEXCHANGE_REDUCTIONPLAN_H
