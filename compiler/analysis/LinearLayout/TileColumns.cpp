//===- TileColumns.cpp - Columns of a layout cut to a smaller tile ---------===//
//
// Packs the low bits of each coordinate.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/TileColumns.h"

#include "compiler/analysis/LinearLayout/F2.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tile {

TileColumns::TileColumns(const LinearLayout &layout, llvm::ArrayRef<int64_t> tileShape) {
  const LinearMap &tile = layout.getTile();
  for (int64_t size : tileShape)
    bits += llvm::Log2_64(size);
  llvm::SmallVector<uint64_t> above; // of registers, beyond the small tile
  for (DimBits in : tile.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      uint64_t low = 0, high = 0;
      unsigned lowShift = 0, highShift = 0;
      for (auto [dim, size] : llvm::enumerate(tileShape)) {
        uint64_t value = tile.getColumn(in.dim, bit, tensorDim(dim));
        low |= (value & uint64_t(size - 1)) << lowShift;
        high |= (value / uint64_t(size)) << highShift;
        lowShift += llvm::Log2_64(size);
        highShift += tile.getOutBits(tensorDim(dim)) - llvm::Log2_64(size);
      }
      if (in.dim == Dim::Register) {
        registers.push_back(low);
        above.push_back(high);
      } else if (in.dim == Dim::Lane) {
        lanes.push_back(low);
      } else if (in.dim == Dim::Warp) {
        warps.push_back(low);
      } else if (in.dim == Dim::Block) {
        blocks.push_back(low);
      }
    }
  for (uint64_t number : nullSpace(above))
    reachable.push_back(combine(registers, number));
}

llvm::SmallVector<uint64_t> TileColumns::getThreads() const {
  llvm::SmallVector<uint64_t> threads(lanes);
  llvm::append_range(threads, warps);
  llvm::append_range(threads, blocks);
  return threads;
}

llvm::SmallVector<uint64_t> getUnitVectors(unsigned bits) {
  llvm::SmallVector<uint64_t> units;
  for (unsigned bit = 0; bit < bits; ++bit)
    units.push_back(uint64_t(1) << bit);
  return units;
}

} // namespace tile
