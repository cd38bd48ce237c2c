//===- PlanBuffers.h - Give buffers their places on chip -------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_PLANBUFFERS_PLANBUFFERS_H
#define TILE_COMPILER_TRANSFORMS_PLANBUFFERS_PLANBUFFERS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/PlanBuffers/PlanBuffers.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_PLANBUFFERS_PLANBUFFERS_H
