//===- ValueRange.h - What is known of an integer without dataflow --------===//
#ifndef TILE_COMPILER_TRANSFORMS_GUARDARITHMETIC_VALUERANGE_H
#define TILE_COMPILER_TRANSFORMS_GUARDARITHMETIC_VALUERANGE_H

#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace tile {

/// Bounds of all lanes of `value`, an integer, from the few operations that
/// define it. Unlike a dataflow analysis it costs nothing to set up and sees
/// through no loop or call.
mlir::ConstantIntRanges getValueRange(mlir::Value value);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_GUARDARITHMETIC_VALUERANGE_H
