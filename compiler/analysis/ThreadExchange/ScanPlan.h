//===- ScanPlan.h - How threads scan a block together ------------------------===//
//
// Along the axis, from the inside out: registers of a thread one after the
// other, lanes of a warp by doubling steps, warps through on-chip memory, and
// then registers that count outside of all those.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_THREADEXCHANGE_SCANPLAN_H
#define TILE_ANALYSIS_THREADEXCHANGE_SCANPLAN_H

#include "compiler/analysis/ThreadExchange/ReductionPlan.h"

namespace tile {

struct ScanPlan {
  /// Steps up to the warps, as a reduction makes them: registers that count
  /// outside the threads are a dimension of their own, before the axis.
  ReductionPlan inner;
  unsigned axis = 0; // with that dimension, if there is one
  /// Registers along the axis that are scanned first.
  int64_t depth = 1;
  /// Bits of the lane that move along the axis, in its order.
  llvm::SmallVector<uint64_t> laneBits;
  /// Kept register `outerOrder[j + (kept / outer) * i]` is step i of chain j of
  /// registers that count outside the threads.
  int64_t outer = 1;
  llvm::SmallVector<int32_t> outerOrder;
  /// Where register r of the source is in inner.order: its own place or, of one
  /// that holds a copy, that of the original.
  llvm::SmallVector<int32_t> slots;

  /// Whether other threads hold elements along the axis.
  bool crossesThreads() const { return !laneBits.empty() || inner.warps > 1; }
  /// Where each thread takes in the totals of all warps: outermost registers.
  LinearLayout getGatheredLayout(int64_t lanes, int64_t warps) const;
};

/// Nothing where registers, lanes and warps do not follow each other along the
/// axis: convert such a layout first.
std::optional<ScanPlan> planScan(const LinearLayout &source, unsigned axis);

/// A layout of `shape` that planScan takes, with few steps between threads.
LinearLayout getScannableLayout(llvm::ArrayRef<int64_t> shape, unsigned axis, int64_t lanes,
                                int64_t warps);

} // namespace tile

#endif // TILE_ANALYSIS_THREADEXCHANGE_SCANPLAN_H
