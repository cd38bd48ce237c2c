//===- TileToLoops.h - From blocks to loops over chunks of lanes ----------===//
#ifndef TILE_COMPILER_CONVERSION_TILETOLOOPS_TILETOLOOPS_H
#define TILE_COMPILER_CONVERSION_TILETOLOOPS_TILETOLOOPS_H

#include "mlir/Pass/Pass.h"

namespace tile {

/// Facts of `#tile.target` that the pass reads.
inline constexpr llvm::StringLiteral kVectorBytesFact = "vector_bytes";
inline constexpr llvm::StringLiteral kVectorRegistersFact = "vector_registers";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/conversion/TileToLoops/TileToLoops.h.inc"

} // namespace tile

#endif // TILE_COMPILER_CONVERSION_TILETOLOOPS_TILETOLOOPS_H
