//===- IntegerRange.h - Between what bounds integers are ------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDCASTS_INTEGERRANGE_H
#define TILE_COMPILER_TRANSFORMS_EXPANDCASTS_INTEGERRANGE_H

#include "dialects/tile/IR/TileOps.h"

namespace tile {

/// Bounds of numbers, both included.
struct IntegerRange {
  int64_t low, high;

  bool isWithin(int64_t least, int64_t most) const { return low >= least && high <= most; }
};

/// Between what bounds all elements of `value` are, as signed numbers: by masks, shifts, sums of
/// what is bounded, and the widths that it was extended from. Nothing where that is not known to
/// be less than 32 bits.
std::optional<IntegerRange> findIntegerRange(mlir::Value value);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDCASTS_INTEGERRANGE_H
