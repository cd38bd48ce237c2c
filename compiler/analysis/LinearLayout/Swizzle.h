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

/// How a memory tile is accessed, in packed tile coordinates (dim0 in the
/// lowest bits, as in LinearMap).
struct AccessPattern {
  /// Coordinates that must be contiguous, fastest first; independent.
  llvm::SmallVector<uint64_t> vector;
  /// Coordinates that lanes which are served together move along.
  llvm::SmallVector<uint64_t> lanes;
  /// Coordinates that any lane or warp moves along.
  llvm::SmallVector<uint64_t> threads;
};

/// The pattern of plain accesses to a tile of `tileShape` by the threads of
/// `registers`, as vectors of up to `width` elements: of those along `fastest`, if
/// that is given, else of any that a thread has.
AccessPattern getRegisterPattern(const LinearLayout &registers, llvm::ArrayRef<int64_t> tileShape,
                                 int64_t width, unsigned elementBits, const MemoryFacts &facts,
                                 std::optional<unsigned> fastest = std::nullopt);

/// The pattern of a collective access (matrix load or store) to a tile of
/// `tileShape` by the fragment layout `registers`.
AccessPattern getCollectivePattern(const LinearLayout &registers, llvm::ArrayRef<int64_t> tileShape,
                                   const CollectiveAccess &collective, unsigned elementBits,
                                   const MemoryFacts &facts);

/// A layout of `shape` (over Dim::Offset) in which every pattern's vectors are
/// contiguous; without bank conflicts for two patterns whose vectors are equally
/// long and which no thread moves within, and otherwise as far as a greedy choice
/// gets (countBankUse tells). `tileShape` is the part that is swizzled, powers of two that divide
/// `shape`; what is beyond is outermost. Nothing if one pattern's vector is not
/// the beginning of the longest.
std::optional<LinearLayout> chooseMemoryLayout(llvm::ArrayRef<int64_t> shape,
                                               llvm::ArrayRef<int64_t> tileShape,
                                               llvm::ArrayRef<AccessPattern> patterns,
                                               unsigned elementBits, const MemoryFacts &facts);

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_SWIZZLE_H
