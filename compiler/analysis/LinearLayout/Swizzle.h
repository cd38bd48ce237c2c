//===- Swizzle.h - Memory layouts computed from how they are accessed ------===//
//
// One algorithm for all pairs of accesses: keep the vectors contiguous, and let
// the bits that share a bank be a subspace that no simultaneous access meets.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LINEARLAYOUT_SWIZZLE_H
#define TILE_ANALYSIS_LINEARLAYOUT_SWIZZLE_H

#include "compiler/analysis/LinearLayout/Access.h"

namespace tile {

/// How a memory tile is accessed, as vectors of packed tile coordinates (dim0
/// in the lowest bits, as in LinearMap).
struct AccessPattern {
  /// Coordinates that must be contiguous, fastest first.
  llvm::SmallVector<uint64_t> vector;
  /// Coordinates that lanes served together move along.
  llvm::SmallVector<uint64_t> lanes;
};

/// The pattern of plain accesses of `width` elements by the threads of
/// `registers`, whose tile has the shape `tileShape`.
AccessPattern getRegisterPattern(const LinearLayout &registers, llvm::ArrayRef<int64_t> tileShape,
                                 int64_t width, unsigned elementBits, const MemoryFacts &facts);

/// The pattern of a collective access (matrix load or store) to the fragment
/// layout `registers`.
AccessPattern getCollectivePattern(const LinearLayout &registers, llvm::ArrayRef<int64_t> tileShape,
                                   const CollectiveAccess &collective, unsigned elementBits,
                                   const MemoryFacts &facts);

/// A layout of `shape` whose vectors are contiguous for every pattern (their
/// `vector`s must be prefixes of the longest) and that is free of conflicts
/// for the first two patterns whenever that is possible; for further ones as
/// far as a greedy choice gets. Odd factors of `shape` are outermost.
/// `tileShape` is the part that is swizzled: powers of two that divide `shape`.
LinearLayout chooseMemoryLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> tileShape,
                                llvm::ArrayRef<AccessPattern> patterns, unsigned elementBits,
                                const MemoryFacts &facts);

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_SWIZZLE_H
