//===- Signals.h - What one thread of a role does for all -------------------===//
#ifndef TILE_CONVERSION_TILETOGPU_SIGNALS_H
#define TILE_CONVERSION_TILETOGPU_SIGNALS_H

#include "compiler/conversion/TileToGPU/RoleHooks.h"
#include "compiler/conversion/TileToGPU/ThreadLowering.h"

namespace tile {

/// The target's hooks; null, after an error, where it has none.
const RoleHooks *getRoleHooks(mlir::Operation *op, ThreadLowering &t);

void emitIf(ThreadLowering &t, mlir::Value condition, llvm::function_ref<void()> emit);
/// What one thread of the role does for all: the same one each time.
void emitOnce(ThreadLowering &t, const RoleHooks &hooks, llvm::function_ref<void()> emit);

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_SIGNALS_H
