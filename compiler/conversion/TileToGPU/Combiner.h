//===- Combiner.h - The region of a reduction, applied to vectors -----------===//
#ifndef TILE_CONVERSION_TILETOGPU_COMBINER_H
#define TILE_CONVERSION_TILETOGPU_COMBINER_H

#include "compiler/conversion/TileToGPU/ThreadLowering.h"

namespace tile {

/// Combines vectors element by element. A region of elementwise operations is
/// written once on vectors, any other once an element.
class Combiner {
public:
  Combiner(mlir::Region &region, ThreadLowering &t);

  /// Reports what threads cannot do between two elements.
  mlir::LogicalResult check();

  /// From now on the last value of each side says which elements count: where
  /// one side does not, the result is the other side.
  void setMasked() { isMasked = true; }

  llvm::SmallVector<mlir::Value> apply(mlir::ValueRange lhs, mlir::ValueRange rhs);

private:
  llvm::SmallVector<mlir::Value> applyPlain(mlir::ValueRange lhs, mlir::ValueRange rhs);
  llvm::SmallVector<mlir::Value> applyOnVectors(mlir::ValueRange operands, int64_t size);
  llvm::SmallVector<mlir::Value> applyOnScalars(mlir::ValueRange operands);

  mlir::Region &region;
  ThreadLowering &t;
  bool isElementwise;
  bool isMasked = false;
};

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_COMBINER_H
