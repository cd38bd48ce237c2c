//===- JoinReductions.h - Reductions that wait once ---------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_JOINREDUCTIONS_JOINREDUCTIONS_H
#define TILE_COMPILER_TRANSFORMS_JOINREDUCTIONS_JOINREDUCTIONS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/JoinReductions/JoinReductions.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_JOINREDUCTIONS_JOINREDUCTIONS_H
