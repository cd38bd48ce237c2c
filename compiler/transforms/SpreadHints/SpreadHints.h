//===- SpreadHints.h - A promise holds of a value from there on -----------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPREADHINTS_SPREADHINTS_H
#define TILE_COMPILER_TRANSFORMS_SPREADHINTS_SPREADHINTS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/SpreadHints/SpreadHints.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPREADHINTS_SPREADHINTS_H
