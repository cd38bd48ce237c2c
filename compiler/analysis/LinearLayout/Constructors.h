//===- Constructors.h - The layouts that passes ask for ---------------------===//
//
// Everything here is LinearLayout::repeated and friends in some order; there
// are no kinds of layouts, only ways to make one.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LINEARLAYOUT_CONSTRUCTORS_H
#define TILE_ANALYSIS_LINEARLAYOUT_CONSTRUCTORS_H

#include "compiler/analysis/LinearLayout/LinearLayout.h"

namespace tile {

//===----------------------------------------------------------------------===//
// Register layouts
//===----------------------------------------------------------------------===//

/// What each level of the hierarchy covers per dimension, from the inside out.
/// `order` lists dimensions fastest first. `warps` may have odd factors.
struct BlockedShape {
  llvm::SmallVector<int64_t> perThread, lanes, warps, blocks; // blocks: may be empty
  llvm::SmallVector<unsigned> order;
  /// Lanes and warps beyond those, which hold copies.
  int64_t laneCopies = 1, warpCopies = 1;
};

/// Threads own boxes of `perThread`, lanes and warps are arranged in boxes, and
/// registers repeat that until `shape` is covered. Lanes and warps beyond a
/// power-of-two shape hold copies; any other shape is padded to a multiple.
LinearLayout getBlockedLayout(llvm::ArrayRef<int64_t> shape, const BlockedShape &blocked);

/// A blocked shape for `shape`: up to `contiguous` elements a thread along the
/// fastest dimension, lanes along `order`, warps from the slowest dimension on,
/// but along `reduced` last. Nothing is padded: threads that find no room hold
/// copies.
BlockedShape chooseBlockedShape(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                                int64_t contiguous, int64_t lanes, int64_t warps,
                                std::optional<unsigned> reduced = std::nullopt);
LinearLayout getDefaultLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                              int64_t contiguous, int64_t lanes, int64_t warps,
                              std::optional<unsigned> reduced = std::nullopt);

/// How an instruction's fragment is spread over a tile.
struct FragmentTiling {
  llvm::SmallVector<int64_t> warps;      // per dimension; odd factors allowed
  llvm::SmallVector<unsigned> warpOrder; // fastest first
  /// Order in which registers repeat the fragment, fastest first.
  llvm::SmallVector<unsigned> repeatOrder;
  /// Fragments that a warp holds side by side before the next warp's begin,
  /// per dimension; empty means 1 each. To cover the whole shape by warps in
  /// contiguous pieces set it to shape / (fragment * warps).
  llvm::SmallVector<int64_t> repeatsInside;
};

/// `fragment` is what one instruction holds, over register and lane, and over
/// warp if several warps act together; it may have repeats (an n of 96).
LinearLayout getFragmentLayout(const LinearLayout &fragment, llvm::ArrayRef<int64_t> shape,
                               const FragmentTiling &tiling);

//===----------------------------------------------------------------------===//
// On-chip memory layouts: Dim::Offset, counted in elements, to coordinates
//===----------------------------------------------------------------------===//

/// Plain strides, `order` fastest first.
LinearLayout getStridedLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order);

/// Groups of `vec` elements of a row are permuted: group g of row r lies at
/// g ^ ((r / perPhase) % maxPhase). Rows run along order[0]; r counts along
/// order[1]. Where order[0] is not a power of two its odd factor is outermost.
/// vec * maxPhase must not exceed the power-of-two part of the row.
LinearLayout getXorSwizzledLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                                  int64_t vec, int64_t perPhase, int64_t maxPhase);

/// Rows of `swizzleBytes` (16, 32, 64, 128; 16 does not swizzle), in which the
/// 16-byte groups are permuted by address bits 7 and up; all rows along
/// order[1..] of one such column, then the next column. This is what tensor
/// copies write and matrix units read. The row must fit in order[0], and what
/// the permutation repeats over (chooseSwizzleBytes) in a power of two of rows.
LinearLayout getByteSwizzledLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                                   unsigned elementBits, unsigned swizzleBytes);

/// The widest `swizzleBytes` that getByteSwizzledLayout takes; 0 if none.
unsigned chooseSwizzleBytes(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                            unsigned elementBits);

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_CONSTRUCTORS_H
