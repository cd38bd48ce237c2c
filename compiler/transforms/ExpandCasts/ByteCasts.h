//===- ByteCasts.h - Small integers as 16-bit floats, by their bits -------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDCASTS_BYTECASTS_H
#define TILE_COMPILER_TRANSFORMS_EXPANDCASTS_BYTECASTS_H

#include "compiler/transforms/ExpandCasts/CastPlan.h"

namespace tile {

/// Whether `op` converts bytes, or integers that are known to be as small, to a 16-bit float that
/// `target` computes with in less time than it converts integers.
bool isByteCast(mlir::Operation *op, TargetAttr target, const NarrowFloatFacts &facts);

/// Replace `op` by arithmetic, which is exact.
void expandByteCast(mlir::Operation *op, LaneBuilder &at);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDCASTS_BYTECASTS_H
