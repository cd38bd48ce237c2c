//===- Constructors.cpp - The layouts that passes ask for -------------------===//
//
// Sequences of LinearLayout::repeated; only swizzles touch columns.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/Constructors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

namespace tile {

/// The largest power of two that divides `value`.
static int64_t getPowerPart(int64_t value) {
  return int64_t(1) << llvm::countr_zero(uint64_t(value));
}

//===----------------------------------------------------------------------===//
// Blocked
//===----------------------------------------------------------------------===//

/// Counts `in` along the dimensions in `order`. The odd factors of `counts`
/// come after all powers of two, so that those can join the tile.
static LinearLayout repeatInBox(LinearLayout layout, Dim in, llvm::ArrayRef<int64_t> counts,
                                llvm::ArrayRef<unsigned> order) {
  for (unsigned dim : order)
    layout = layout.repeated(in, dim, getPowerPart(counts[dim]));
  return layout;
}

/// The odd factors that repeatInBox left out: along the dimension as long as it
/// is not covered without, else as copies.
static LinearLayout repeatOddFactors(LinearLayout layout, Dim in, llvm::ArrayRef<int64_t> counts,
                                     llvm::ArrayRef<unsigned> order,
                                     llvm::ArrayRef<int64_t> shape) {
  for (unsigned dim : order) {
    int64_t odd = counts[dim] / getPowerPart(counts[dim]);
    if (layout.getDimSize(dim) < shape[dim])
      layout = layout.repeated(in, dim, odd);
    else
      layout = layout.replicated(in, odd);
  }
  return layout;
}

/// Covers shape / (what odd factors of warps and blocks will cover) by registers.
static LinearLayout fillByRegisters(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape,
                                    llvm::ArrayRef<llvm::ArrayRef<int64_t>> laterCounts,
                                    llvm::ArrayRef<unsigned> order) {
  llvm::SmallVector<int64_t> share(shape);
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    for (llvm::ArrayRef<int64_t> counts : laterCounts) {
      int64_t odd = counts[dim] / getPowerPart(counts[dim]);
      // A side that odd factors do not divide is covered by each of them.
      if (share[dim] % odd == 0)
        share[dim] /= odd;
    }
  return layout.resizedTo(share, order);
}

LinearLayout getBlockedLayout(llvm::ArrayRef<int64_t> shape, const BlockedShape &blocked) {
  unsigned rank = shape.size();
  assert(blocked.perThread.size() == rank && blocked.lanes.size() == rank &&
         blocked.warps.size() == rank && blocked.order.size() == rank);
  llvm::SmallVector<int64_t> blocks(blocked.blocks);
  if (blocks.empty())
    blocks.assign(rank, 1);
  LinearLayout layout = LinearLayout::getUnit(rank);
  layout = repeatInBox(layout, Dim::Register, blocked.perThread, blocked.order);
  layout = repeatInBox(layout, Dim::Lane, blocked.lanes, blocked.order);
  layout = layout.replicated(Dim::Lane, blocked.laneCopies);
  layout = repeatInBox(layout, Dim::Warp, blocked.warps, blocked.order);
  layout = layout.replicated(Dim::Warp, getPowerPart(blocked.warpCopies));
  // What one block holds of each side; blocks are outermost.
  llvm::SmallVector<int64_t> blockShape(shape);
  for (unsigned dim = 0; dim < rank; ++dim)
    if (shape[dim] % blocks[dim] == 0)
      blockShape[dim] = shape[dim] / blocks[dim];
  layout = fillByRegisters(layout, blockShape, {blocked.warps}, blocked.order);
  layout = repeatOddFactors(layout, Dim::Warp, blocked.warps, blocked.order, blockShape);
  layout = layout.replicated(Dim::Warp, blocked.warpCopies / getPowerPart(blocked.warpCopies));
  for (unsigned dim : blocked.order)
    layout = layout.getDimSize(dim) < shape[dim] ? layout.repeated(Dim::Block, dim, blocks[dim])
                                                 : layout.replicated(Dim::Block, blocks[dim]);
  return layout.resizedTo(shape, blocked.order);
}

BlockedShape chooseBlockedShape(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                                int64_t contiguous, int64_t lanes, int64_t warps,
                                std::optional<unsigned> reduced) {
  unsigned rank = shape.size();
  BlockedShape blocked;
  blocked.order.assign(order.begin(), order.end());
  blocked.perThread.assign(rank, 1);
  blocked.lanes.assign(rank, 1);
  blocked.warps.assign(rank, 1);
  llvm::SmallVector<int64_t> room = llvm::map_to_vector(shape, getPowerPart);
  auto take = [&](llvm::SmallVectorImpl<int64_t> &counts, unsigned dim, int64_t &available) {
    int64_t taken = std::min(room[dim], getPowerPart(available));
    counts[dim] *= taken;
    room[dim] /= taken;
    available /= taken;
  };
  if (rank == 0)
    return blocked;
  take(blocked.perThread, order[0], contiguous);
  for (unsigned dim : order)
    take(blocked.lanes, dim, lanes);
  // Warps along the slowest dimensions first: each then owns whole rows.
  llvm::SmallVector<unsigned> slowestFirst(llvm::reverse(order));
  if (reduced)
    std::stable_partition(slowestFirst.begin(), slowestFirst.end(),
                          [&](unsigned dim) { return dim != *reduced; });
  for (unsigned dim : slowestFirst)
    take(blocked.warps, dim, warps);
  // An odd factor of warps goes along a side that it divides.
  int64_t odd = warps / getPowerPart(warps);
  for (unsigned dim : llvm::reverse(order)) {
    if (odd == 1 || shape[dim] % odd != 0)
      continue;
    blocked.warps[dim] *= odd;
    warps /= odd;
    break;
  }
  blocked.laneCopies = lanes;
  blocked.warpCopies = warps;
  return blocked;
}

LinearLayout getDefaultLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                              int64_t contiguous, int64_t lanes, int64_t warps,
                              std::optional<unsigned> reduced) {
  if (shape.empty())
    return LinearLayout::getUnit(0).replicated(Dim::Lane, lanes).replicated(Dim::Warp, warps);
  return getBlockedLayout(shape,
                          chooseBlockedShape(shape, order, contiguous, lanes, warps, reduced));
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

LinearLayout getFragmentLayout(const LinearLayout &fragment, llvm::ArrayRef<int64_t> shape,
                               const FragmentTiling &tiling) {
  LinearLayout layout = fragment;
  if (!tiling.repeatsInside.empty())
    for (unsigned dim : tiling.repeatOrder)
      layout = layout.repeated(Dim::Register, dim, tiling.repeatsInside[dim]);
  layout = repeatInBox(layout, Dim::Warp, tiling.warps, tiling.warpOrder);
  layout = fillByRegisters(layout, shape, {tiling.warps}, tiling.repeatOrder);
  layout = repeatOddFactors(layout, Dim::Warp, tiling.warps, tiling.warpOrder, shape);
  return layout.resizedTo(shape, tiling.repeatOrder);
}

//===----------------------------------------------------------------------===//
// On-chip memory
//===----------------------------------------------------------------------===//

LinearLayout getStridedLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order) {
  LinearLayout layout = LinearLayout::getUnit(shape.size());
  for (unsigned dim : order)
    layout = layout.repeated(Dim::Offset, dim, shape[dim]);
  return layout;
}

/// Rows of `width` elements along order[0]; then all of the other dimensions,
/// then the next column of such rows.
static LinearLayout getColumnsOfRows(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                                     int64_t width) {
  assert(!order.empty() && shape[order[0]] % width == 0 && "rows must tile the side");
  LinearLayout layout = LinearLayout::getUnit(shape.size());
  layout = layout.repeated(Dim::Offset, order[0], width);
  // Odd counts after all powers of two: the swizzle is then within the tile.
  for (unsigned dim : order.drop_front())
    layout = layout.repeated(Dim::Offset, dim, getPowerPart(shape[dim]));
  for (unsigned dim : order.drop_front())
    layout = layout.repeated(Dim::Offset, dim, shape[dim] / getPowerPart(shape[dim]));
  return layout.repeated(Dim::Offset, order[0], shape[order[0]] / width);
}

/// Offset bit `from + i` also moves what offset bit `to + i` moves.
static LinearLayout addToColumns(const LinearLayout &layout, unsigned from, unsigned to,
                                 unsigned count) {
  LinearMap tile = layout.getTile();
  unsigned available = tile.getInBits(Dim::Offset);
  for (unsigned i = 0; i < count && from + i < available; ++i)
    tile.setColumn(Dim::Offset, from + i,
                   tile.getColumns(Dim::Offset)[from + i] ^ tile.getColumns(Dim::Offset)[to + i]);
  return LinearLayout::get(tile, layout.getRepeats());
}

LinearLayout getXorSwizzledLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                                  int64_t vec, int64_t perPhase, int64_t maxPhase) {
  assert(llvm::isPowerOf2_64(vec) && llvm::isPowerOf2_64(perPhase) &&
         llvm::isPowerOf2_64(maxPhase) && "swizzle parameters are powers of two");
  int64_t width = getPowerPart(shape[order[0]]);
  assert(vec * maxPhase <= width && "the permuted groups must fit in a row");
  LinearLayout layout = getColumnsOfRows(shape, order, width);
  if (order.size() < 2)
    return layout;
  // Rows along order[1] follow the row's own bits; only they take part.
  unsigned rowBits = llvm::Log2_64(getPowerPart(shape[order[1]]));
  unsigned skipped = llvm::Log2_64(perPhase);
  unsigned swizzled = rowBits > skipped ? std::min(rowBits - skipped, llvm::Log2_64(maxPhase)) : 0;
  return addToColumns(layout, llvm::Log2_64(width) + skipped, llvm::Log2_64(vec), swizzled);
}

/// In bytes: bits 4, 5, 6 select the 16-byte group, bits 7, 8, 9 permute it.
static unsigned getSwizzleBits(unsigned swizzleBytes) { return llvm::Log2_64(swizzleBytes / 16); }

static bool canSwizzleBytes(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                            unsigned elementBits, unsigned swizzleBytes) {
  int64_t rowBytes = shape[order[0]] * elementBits / 8;
  if (rowBytes % swizzleBytes != 0)
    return false;
  int64_t rows = 1, powerRows = 1;
  for (unsigned dim : order.drop_front()) {
    rows *= shape[dim];
    powerRows *= getPowerPart(shape[dim]);
  }
  // Address bits that permute must be bits of the tile, not digits of an odd count.
  bool onlyPowers = rows == powerRows && llvm::isPowerOf2_64(rowBytes);
  unsigned bits = getSwizzleBits(swizzleBytes);
  return bits == 0 || onlyPowers || powerRows * swizzleBytes >= 128 << bits;
}

LinearLayout getByteSwizzledLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                                   unsigned elementBits, unsigned swizzleBytes) {
  assert(llvm::isPowerOf2_64(swizzleBytes) && swizzleBytes >= 16 && swizzleBytes <= 128);
  assert(canSwizzleBytes(shape, order, elementBits, swizzleBytes) && "ask chooseSwizzleBytes");
  LinearLayout layout = getColumnsOfRows(shape, order, swizzleBytes * 8 / elementBits);
  unsigned elementShift = llvm::Log2_64(elementBits / 8);
  return addToColumns(layout, 7 - elementShift, 4 - elementShift, getSwizzleBits(swizzleBytes));
}

unsigned chooseSwizzleBytes(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                            unsigned elementBits) {
  for (unsigned bytes : {128, 64, 32, 16})
    if (canSwizzleBytes(shape, order, elementBits, bytes))
      return bytes;
  return 0;
}

} // namespace tile
