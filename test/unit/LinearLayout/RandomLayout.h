//===- RandomLayout.h - Layouts for the properties ------------------------===//
//
// Random layouts of every kind the algebra admits, and what brute force says
// about them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TEST_UNIT_LINEARLAYOUT_RANDOMLAYOUT_H
#define TILE_TEST_UNIT_LINEARLAYOUT_RANDOMLAYOUT_H

#include "compiler/analysis/LinearLayout/LinearLayout.h"
#include "test/unit/LinearLayout/Check.h"
#include <map>

namespace tile::test {

using Coordinates = llvm::SmallVector<int64_t>;

/// The threads of a program.
struct Threads {
  unsigned laneBits = 2, warpBits = 1;
  int64_t oddWarps = 1;
  int64_t getLanes() const { return int64_t(1) << laneBits; }
  int64_t getWarps() const { return oddWarps << warpBits; }
};

/// Sides with an odd factor now and then; at most `maxBits` bits in all.
Coordinates randomShape(Random &random, unsigned maxRank, unsigned maxBits, double oddChance);
Threads randomThreads(Random &random);

/// A layout that covers exactly `shape` unless `padded`: bits of coordinates
/// are dealt to registers, lanes and warps, mixed among each other, with copies.
LinearLayout randomLayout(Random &random, llvm::ArrayRef<int64_t> shape, const Threads &threads,
                          bool padded = false);

/// The same with random shape and threads.
LinearLayout randomLayout(Random &random);

/// Calls `visit(register, lane, warp)` for all.
void forEachIndex(const LinearLayout &layout,
                  llvm::function_ref<void(int64_t, int64_t, int64_t)> visit);
Coordinates locate(const LinearLayout &layout, int64_t reg, int64_t lane, int64_t warp);

/// Row-major number of an element.
int64_t flatten(llvm::ArrayRef<int64_t> coordinates, llvm::ArrayRef<int64_t> shape);
Coordinates unflatten(int64_t flat, llvm::ArrayRef<int64_t> shape);
int64_t getVolume(llvm::ArrayRef<int64_t> shape);
std::vector<unsigned> randomOrder(Random &random, unsigned rank);

} // namespace tile::test

#endif // TILE_TEST_UNIT_LINEARLAYOUT_RANDOMLAYOUT_H
