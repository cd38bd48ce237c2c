//===- Runs.h - Groups of registers at consecutive places ------------------===//
//
// Shared by contiguity of a layout (consecutive coordinates) and vector
// accesses (consecutive offsets).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LINEARLAYOUT_RUNS_H
#define TILE_ANALYSIS_LINEARLAYOUT_RUNS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tile {

/// How registers can be grouped into aligned runs.
class RegisterRuns {
public:
  /// `registers` and `others` are images of register bits and of all other
  /// input bits. Places 0, 1, 2, ... of a run differ by `units`, single bits of
  /// the image, fastest first. Uses as many of them as possible.
  RegisterRuns(llvm::ArrayRef<uint64_t> registers, llvm::ArrayRef<uint64_t> others,
               llvm::ArrayRef<uint64_t> units);

  int64_t getLength() const { return int64_t(1) << steps.size(); }

  /// Registers of the tile in runs of `length` <= getLength(); the image of
  /// each first one has none of the used units.
  llvm::SmallVector<llvm::SmallVector<int32_t>> getGroups(int64_t length) const;

private:
  llvm::SmallVector<uint64_t> registers, units;
  llvm::SmallVector<uint64_t> steps; // register numbers whose image is a unit
};

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_RUNS_H
