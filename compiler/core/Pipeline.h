//===- Pipeline.h - From stage to stage -----------------------------------===//
#ifndef TILE_COMPILER_CORE_PIPELINE_H
#define TILE_COMPILER_CORE_PIPELINE_H

#include "compiler/core/Target.h"

#include <functional>

namespace tile {

/// The stage that a frontend writes.
inline constexpr llvm::StringLiteral kTileStage = "tile";

/// Write `#tile.target` and the options on the module, for passes to read.
/// Reports an architecture that the target does not know.
mlir::LogicalResult describeTarget(mlir::ModuleOp module, const Target &target,
                                   const CompileOptions &options);

/// Add the passes that lead from stage `from` (exclusive) to stage `to`
/// (inclusive). Calls `onError` where either is not a stage of the target.
mlir::LogicalResult
buildPipeline(mlir::OpPassManager &pm, const Target &target, llvm::StringRef from,
              llvm::StringRef to, const CompileOptions &options,
              llvm::function_ref<void(const llvm::Twine &)> onError);

/// Describe the target on the module and run the pipeline between two stages.
/// On failure, diagnostics say why, and `reproducer` (a path, may be empty)
/// receives the module and pipeline for `tile-opt --run-reproducer`.
mlir::LogicalResult runPipeline(mlir::ModuleOp module, const Target &target, llvm::StringRef from,
                                llvm::StringRef to, const CompileOptions &options,
                                llvm::StringRef reproducer = "");

/// Register `--tile-to-<target>` for each target of the registry.
void registerPipelines();

} // namespace tile

#endif // TILE_COMPILER_CORE_PIPELINE_H
