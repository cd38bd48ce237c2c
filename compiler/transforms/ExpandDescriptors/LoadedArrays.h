//===- LoadedArrays.h - What is promised of arrays that are found in memory ===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_LOADEDARRAYS_H
#define TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_LOADEDARRAYS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile {

/// Writes down that bases and strides of descriptors are multiples of 16 bytes, which the
/// language asks for, where they follow from loaded numbers, of which nothing is known. An
/// argument is known to be no multiple where it is not known to be one, as are sums and
/// products with what is less.
void promiseLoadedAlignment(mlir::func::FuncOp function);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_LOADEDARRAYS_H
