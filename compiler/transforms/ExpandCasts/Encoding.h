//===- Encoding.h - Floats as integers: narrowing and widening ------------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDCASTS_ENCODING_H
#define TILE_COMPILER_TRANSFORMS_EXPANDCASTS_ENCODING_H

#include "compiler/transforms/Elementwise/Lanes.h"

namespace tile {

/// Whether conversions of the type are known here: 16 bits or 8.
bool isNarrowFloat(mlir::Type type);
bool isByteFloat(mlir::Type type);

/// f32 to a narrow type by integer arithmetic on the bits.
Lanes narrowFromSingle(Lanes x, mlir::FloatType to, Rounding rounding);
/// A narrow type to f32, exactly.
Lanes widenToSingle(Lanes x);

/// f64 to f32, towards zero.
Lanes narrowToSingleTowardZero(Lanes x);
/// f64 to f32 such that rounding the result on to a narrow type, either way, is
/// rounding once: an inexact result is the neighbour with an odd significand.
Lanes narrowToSingleOdd(Lanes x);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDCASTS_ENCODING_H
