//===- ExpandCasts.h - Conversions between float types --------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDCASTS_H
#define TILE_COMPILER_TRANSFORMS_EXPANDCASTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"

namespace tile {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/ExpandCasts/ExpandCasts.h.inc"
} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDCASTS_H
