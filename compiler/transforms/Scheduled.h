//===- Scheduled.h - From stage `tile` to stage `scheduled` ---------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SCHEDULED_H
#define TILE_COMPILER_TRANSFORMS_SCHEDULED_H

#include "mlir/Pass/PassManager.h"

namespace tile {

/// Add the passes that lead from stage `tile` to stage `scheduled` on a target
/// with warps. What the machine has, they read from the module.
void buildScheduledPipeline(mlir::OpPassManager &pm);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SCHEDULED_H
