//===- ArgumentReduction.h - Remainders of pi/2 ---------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDMATH_ARGUMENTREDUCTION_H
#define TILE_COMPILER_TRANSFORMS_EXPANDMATH_ARGUMENTREDUCTION_H

#include "compiler/transforms/Elementwise/Lanes.h"

namespace tile::expand {

/// `x = quadrant * pi/2 + rest` up to a multiple of 2 pi, |rest| <= pi/4;
/// `quadrant` is an integer of which the low two bits count.
struct Reduced {
  Lanes rest;
  Lanes quadrant;
};

/// For all `x >= 0`; `rest` is NaN for infinity and NaN.
Reduced reduceByHalfPi(Lanes x);

} // namespace tile::expand

#endif // TILE_COMPILER_TRANSFORMS_EXPANDMATH_ARGUMENTREDUCTION_H
