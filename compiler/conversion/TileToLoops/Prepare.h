//===- Prepare.h - Checks and rewrites of a kernel before the plan --------===//
#ifndef TILE_COMPILER_CONVERSION_TILETOLOOPS_PREPARE_H
#define TILE_COMPILER_CONVERSION_TILETOLOOPS_PREPARE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile::loops {

/// Branches in combine functions become selections.
void flattenCombiners(mlir::func::FuncOp kernel);

/// Report the first operation of `function` that loops cannot be made of.
mlir::LogicalResult checkSupported(mlir::func::FuncOp function);

/// Rewrites on blocks that make better loops: carried pointers and offsets that
/// advance by the same amount each time become a scalar times the step.
void prepareKernel(mlir::func::FuncOp kernel);

} // namespace tile::loops

#endif // TILE_COMPILER_CONVERSION_TILETOLOOPS_PREPARE_H
