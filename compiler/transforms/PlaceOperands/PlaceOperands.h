//===- PlaceOperands.h - Operands of dots on chip --------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_PLACEOPERANDS_PLACEOPERANDS_H
#define TILE_COMPILER_TRANSFORMS_PLACEOPERANDS_PLACEOPERANDS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/PlaceOperands/PlaceOperands.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_PLACEOPERANDS_PLACEOPERANDS_H
