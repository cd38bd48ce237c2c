//===- NarrowArithmetic.h - Arithmetic on 16-bit floats, in f32 -----------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDCASTS_NARROWARITHMETIC_H
#define TILE_COMPILER_TRANSFORMS_EXPANDCASTS_NARROWARITHMETIC_H

#include "compiler/transforms/ExpandCasts/CastPlan.h"

namespace tile {

/// Whether `op` computes on, or converts integers from or to, a 16-bit float
/// for which the target has no arithmetic.
bool isNarrowArithmetic(mlir::Operation *op, const NarrowFloatFacts &facts);

/// Replace `op` by the same operation on f32 (f64 from wide integers).
void widenArithmetic(mlir::Operation *op, LaneBuilder &at, const NarrowFloatFacts &facts);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDCASTS_NARROWARITHMETIC_H
