//===- PointerBase.h - Which array a pointer points into ------------------===//
#ifndef TILE_COMPILER_ANALYSIS_POINTERBASE_POINTERBASE_H
#define TILE_COMPILER_ANALYSIS_POINTERBASE_POINTERBASE_H

#include "mlir/IR/Value.h"

namespace tile {

/// The function's argument that a pointer, or a block of pointers, is computed
/// from; null if unknown.
mlir::Value getPointerBase(mlir::Value pointer);

/// Whether the programmer promises that nobody writes the array that a pointer points
/// into while the kernel runs.
bool isReadOnly(mlir::Value pointer);
/// Whether any thread of the program may load this at any time, and get the same: a
/// number at an address of such an array.
bool isConstantLoad(mlir::Operation *op);

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_POINTERBASE_POINTERBASE_H
