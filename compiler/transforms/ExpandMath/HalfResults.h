//===- HalfResults.h - Values of which half a float's bits are kept -------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDMATH_HALFRESULTS_H
#define TILE_COMPILER_TRANSFORMS_EXPANDMATH_HALFRESULTS_H

#include "mlir/IR/Value.h"

namespace tile {

/// Whether it is, or has elements, of a 16-bit float.
bool isHalf(mlir::Type type);

/// Whether all that becomes of `value`, of f32, is rounded to 16-bit floats, behind products,
/// quotients, and sums of what is not negative, few of them powers: relative errors of it stay
/// small beside what such floats round away.
bool isRoundedToHalf(mlir::Value value);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDMATH_HALFRESULTS_H
