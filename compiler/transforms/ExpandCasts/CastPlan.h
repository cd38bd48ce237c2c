//===- CastPlan.h - Conversions in steps that the target has --------------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDCASTS_CASTPLAN_H
#define TILE_COMPILER_TRANSFORMS_EXPANDCASTS_CASTPLAN_H

#include "compiler/transforms/Elementwise/Lanes.h"

#include "llvm/ADT/StringSet.h"

namespace tile {

/// What a target states about floats narrower than f32; nothing without a target.
class NarrowFloatFacts {
public:
  explicit NarrowFloatFacts(TargetAttr target);

  /// Reports at `root` what names no conversion or type.
  mlir::LogicalResult verify(mlir::Operation *root) const;

  bool hasCast(mlir::Type from, mlir::Type to, Rounding rounding) const;
  bool hasArithmetic(mlir::Type type) const;

private:
  llvm::StringSet<> casts;
  llvm::StringSet<> arithmetic;
};

/// Create the operations that convert `x` to `to`, native ones where there are.
Lanes convertFloat(Lanes x, mlir::FloatType to, Rounding rounding, const NarrowFloatFacts &facts);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDCASTS_CASTPLAN_H
