//===- DeferReductions.h - Parts of sums stay in threads ------------===//
#ifndef TILE_COMPILER_TRANSFORMS_DEFERREDUCTIONS_DEFERREDUCTIONS_H
#define TILE_COMPILER_TRANSFORMS_DEFERREDUCTIONS_DEFERREDUCTIONS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/DeferReductions/DeferReductions.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_DEFERREDUCTIONS_DEFERREDUCTIONS_H
