//===- ThreadCopies.h - Loads that threads make as copies -----------------===//
//
// A block that is loaded by pointers may be copied to on-chip memory instead,
// asynchronously, each thread a part: what that asks of the load, and where the
// copied block lies.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_ANALYSIS_THREADCOPIES_THREADCOPIES_H
#define TILE_COMPILER_ANALYSIS_THREADCOPIES_THREADCOPIES_H

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "dialects/tile/IR/TileOps.h"

namespace tile {

/// What a load gives where its mask is false; null if copies write that: zero.
mlir::Value getOtherThanZero(LoadOp load);

/// How a load is copied: so many elements at a time, along one dimension.
struct CopyRun {
  int64_t width = 0;
  unsigned dim = 0;
};

/// As wide as pointers, mask and target admit; 0: the load cannot be copied.
CopyRun findCopyRun(LoadOp load, const AccessAnalysis &patterns);

/// Whether the unit of the dot that a load feeds fetches what was loaded, as it
/// is, from on-chip memory by itself.
bool feedsOnChip(LoadOp load);

/// A buffer for what `load` reads, written in such runs, and read by the unit of the
/// dot that it feeds, or in each layout that it is converted to by each thread for
/// itself.
BufferType chooseBuffer(LoadOp load, CopyRun run);

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_THREADCOPIES_THREADCOPIES_H
