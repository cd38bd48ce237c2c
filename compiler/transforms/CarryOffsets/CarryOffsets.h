//===- CarryOffsets.h - Carry a number instead of a block ------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_CARRYOFFSETS_CARRYOFFSETS_H
#define TILE_COMPILER_TRANSFORMS_CARRYOFFSETS_CARRYOFFSETS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/CarryOffsets/CarryOffsets.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_CARRYOFFSETS_CARRYOFFSETS_H
