//===- ControlFlow.h - Where values go through regions --------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_CONTROLFLOW_H
#define TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_CONTROLFLOW_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace tile {

/// Whether `op` is control flow whose regions pass values on.
bool isControlFlow(mlir::Operation *op);

/// The value that `operand` becomes when it enters a region, goes around a loop
/// or leaves a region; null if its owner computes with it.
mlir::Value getDestination(mlir::OpOperand &operand);

/// The one of several names of a value that stands for all: what a loop carries
/// is the same inside and after it.
mlir::Value getRepresentative(mlir::Value value);

/// All names of the value that `representative` stands for.
llvm::SmallVector<mlir::Value, 2> getNames(mlir::Value representative);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_CONTROLFLOW_H
