//===- NarrowComparisons.h - Compare in 32 bits -------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_NARROWCOMPARISONS_NARROWCOMPARISONS_H
#define TILE_COMPILER_TRANSFORMS_NARROWCOMPARISONS_NARROWCOMPARISONS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/NarrowComparisons/NarrowComparisons.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_NARROWCOMPARISONS_NARROWCOMPARISONS_H
