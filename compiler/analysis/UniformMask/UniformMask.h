//===- UniformMask.h - Whether a mask is true everywhere ------------------===//
//
// A mask that compares places with a bound is true everywhere if the outermost
// place is inside: one comparison of numbers for the whole block.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_ANALYSIS_UNIFORMMASK_UNIFORMMASK_H
#define TILE_COMPILER_ANALYSIS_UNIFORMMASK_UNIFORMMASK_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

/// Code that computes a boolean: if it holds, all elements of `mask` are true.
/// Null where the mask is no conjunction of such comparisons.
mlir::Value createIsAllTrue(mlir::ImplicitLocOpBuilder &b, mlir::Value mask);
/// Whether there is such code.
bool mayBeAllTrue(mlir::Value mask);
/// The terms of the conjunction `mask`: all of them are true where it is.
llvm::SmallVector<mlir::Value> getConjuncts(mlir::Value mask);

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_UNIFORMMASK_UNIFORMMASK_H
