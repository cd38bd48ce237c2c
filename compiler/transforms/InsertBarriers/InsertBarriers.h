//===- InsertBarriers.h - Order accesses of different threads ---------------===//
#ifndef TILE_COMPILER_TRANSFORMS_INSERTBARRIERS_INSERTBARRIERS_H
#define TILE_COMPILER_TRANSFORMS_INSERTBARRIERS_INSERTBARRIERS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/InsertBarriers/InsertBarriers.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_INSERTBARRIERS_INSERTBARRIERS_H
