//===- AssignLayouts.h - Give every block a layout ------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_ASSIGNLAYOUTS_ASSIGNLAYOUTS_H
#define TILE_COMPILER_TRANSFORMS_ASSIGNLAYOUTS_ASSIGNLAYOUTS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/AssignLayouts/AssignLayouts.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_ASSIGNLAYOUTS_ASSIGNLAYOUTS_H
