//===- Expansions.h - The functions behind the table of math --------------===//
//
// Each creates the operations of one function of lanes of f32 or f64. They
// follow one scheme: reduce the argument to a small interval, evaluate a
// minimax polynomial there, put the result together; the cases outside come by
// arithmetic (infinities, NaN) where possible, else by selects.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDMATH_EXPANSIONS_H
#define TILE_COMPILER_TRANSFORMS_EXPANDMATH_EXPANSIONS_H

#include "compiler/transforms/Elementwise/Lanes.h"

namespace tile::expand {

Lanes acos(Lanes x);
Lanes acosh(Lanes x);
Lanes asin(Lanes x);
Lanes asinh(Lanes x);
Lanes atan(Lanes x);
Lanes atan2(Lanes y, Lanes x);
Lanes atanh(Lanes x);
Lanes cbrt(Lanes x);
Lanes cos(Lanes x);
Lanes cosh(Lanes x);
Lanes erf(Lanes x);
Lanes erfc(Lanes x);
Lanes exp(Lanes x);
Lanes exp2(Lanes x);
Lanes expm1(Lanes x);
Lanes log(Lanes x);
Lanes log10(Lanes x);
Lanes log1p(Lanes x);
Lanes log2(Lanes x);
Lanes powf(Lanes x, Lanes y);
Lanes remf(Lanes x, Lanes y);
Lanes remfWide(Lanes x, Lanes y);
Lanes rsqrt(Lanes x);
Lanes sin(Lanes x);
Lanes sinh(Lanes x);
Lanes tan(Lanes x);
Lanes tanh(Lanes x);

/// e^x / 2, which is finite for some x whose e^x is not.
Lanes halfExp(Lanes x);

/// By an `exp2` that the target has; 3 units in the last place if that has 2.
Lanes expByNativeExp2(Lanes x);
Lanes tanhByNativeExp2(Lanes x); // of f32
/// Within |x| + 3 units in the last place of f32.
Lanes roughExpByNativeExp2(Lanes x);

} // namespace tile::expand

#endif // TILE_COMPILER_TRANSFORMS_EXPANDMATH_EXPANSIONS_H
