//===- PipelineLoops.h - Copy for later iterations ------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_PIPELINELOOPS_H
#define TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_PIPELINELOOPS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/PipelineLoops/PipelineLoops.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_PIPELINELOOPS_H
