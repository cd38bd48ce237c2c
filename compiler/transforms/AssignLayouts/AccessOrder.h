//===- AccessOrder.h - Which dimension neighbouring threads go along -------===//
#ifndef TILE_COMPILER_TRANSFORMS_ASSIGNLAYOUTS_ACCESSORDER_H
#define TILE_COMPILER_TRANSFORMS_ASSIGNLAYOUTS_ACCESSORDER_H

#include "compiler/analysis/AccessPattern/AccessPattern.h"

namespace tile {

/// Dimensions of an access through `pointer` by falling contiguity. Among equals those come
/// first whose neighbours may be near each other, then the one that a product sums over, then
/// the last one.
llvm::SmallVector<unsigned> getAccessOrder(mlir::Operation *access, mlir::Value pointer,
                                           const ValuePattern &pattern);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_ASSIGNLAYOUTS_ACCESSORDER_H
