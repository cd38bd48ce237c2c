//===- Prologue.h - Where a loop's first copies start ---------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_PROLOGUE_H
#define TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_PROLOGUE_H

#include "compiler/transforms/PipelineLoops/Schedule.h"

namespace tile {

/// The op before which the copies of the first iterations can start: as early as
/// what they need is there, so that they do not wait for other loads. What they
/// need is moved before it.
mlir::Operation *findPrologueStart(mlir::scf::ForOp loop, const Schedule &schedule);

/// On-chip bytes that what is before the loop in its block needs, where the first copies start
/// before that.
int64_t getPassedBytes(mlir::scf::ForOp loop);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_PROLOGUE_H
