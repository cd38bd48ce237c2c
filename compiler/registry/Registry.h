//===- Registry.h - Everything this build contains ------------------------===//
//
// Dialects, passes, pipelines and targets, found by their folders. Tools and
// bindings call these once and know nothing more.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_REGISTRY_REGISTRY_H
#define TILE_COMPILER_REGISTRY_REGISTRY_H

#include "mlir/IR/DialectRegistry.h"

namespace tile {

/// All dialects with the interfaces that our pipelines use.
void registerAllDialects(mlir::DialectRegistry &registry);

/// All passes and pipelines, ours and upstream's. Safe to call more than once.
void registerAllPasses();

/// All targets, into TargetRegistry::get(). Safe to call more than once.
void registerAllTargets();

/// Upstream's part of the above, in files of their own because they are slow to compile.
void registerUpstreamDialects(mlir::DialectRegistry &registry);
void registerUpstreamPasses();

} // namespace tile

#endif // TILE_COMPILER_REGISTRY_REGISTRY_H
