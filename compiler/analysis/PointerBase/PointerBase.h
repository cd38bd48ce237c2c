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

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_POINTERBASE_POINTERBASE_H
