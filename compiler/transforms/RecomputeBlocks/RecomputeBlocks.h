//===- RecomputeBlocks.h - Registers across reductions --------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_RECOMPUTEBLOCKS_RECOMPUTEBLOCKS_H
#define TILE_COMPILER_TRANSFORMS_RECOMPUTEBLOCKS_RECOMPUTEBLOCKS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

/// Numbers reads of a buffer that are to stay apart.
inline constexpr llvm::StringLiteral kRereadAttr = "reread";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/RecomputeBlocks/RecomputeBlocks.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_RECOMPUTEBLOCKS_RECOMPUTEBLOCKS_H
