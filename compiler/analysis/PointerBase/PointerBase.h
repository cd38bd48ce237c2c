//===- PointerBase.h - Which array a pointer points into ------------------===//
#ifndef TILE_COMPILER_ANALYSIS_POINTERBASE_POINTERBASE_H
#define TILE_COMPILER_ANALYSIS_POINTERBASE_POINTERBASE_H

#include "mlir/IR/Value.h"

namespace tile {

/// What stands for the array that a pointer, or a block of pointers, points into: the
/// function's argument that it is computed from; of pointers that are loaded the first load
/// of any through the same argument; null if unknown. Different ones are different arrays.
mlir::Value getPointerBase(mlir::Value pointer);

/// Whether the programmer promises that nobody writes the array that a pointer points
/// into while the kernel runs.
bool isReadOnly(mlir::Value pointer);

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_POINTERBASE_POINTERBASE_H
