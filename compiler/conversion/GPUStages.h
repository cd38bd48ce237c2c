//===- GPUStages.h - From stage `scheduled` to stage `llvm` on GPUs ---------===//
#ifndef TILE_COMPILER_CONVERSION_GPUSTAGES_H
#define TILE_COMPILER_CONVERSION_GPUSTAGES_H

#include "mlir/Pass/PassManager.h"

namespace tile {

/// Add the passes that lead from stage `scheduled` to stage `gpu`.
void buildGPUPipeline(mlir::OpPassManager &pm);

/// Add those that lead from stage `gpu` to stage `llvm`; `lowering` is the
/// target's own conversion to LLVM's dialect.
void buildGPUToLLVMPipeline(mlir::OpPassManager &pm, std::unique_ptr<mlir::Pass> lowering);

} // namespace tile

#endif // TILE_COMPILER_CONVERSION_GPUSTAGES_H
