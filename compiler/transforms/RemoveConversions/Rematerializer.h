//===- Rematerializer.h - Compute twice what is cheap ---------------------===//
//
// Replaces a conversion by computing its source in the other layout, and moves
// conversions up to where fewer bits move.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_REMATERIALIZER_H
#define TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_REMATERIALIZER_H

#include "compiler/analysis/LayoutInference/LayoutInference.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace tile {

class Rematerializer {
public:
  /// `shared`: loads that are copied on chip rather than repeated.
  Rematerializer(mlir::func::FuncOp function, llvm::DenseSet<mlir::Operation *> shared);
  void run();

private:
  using Wanted = std::pair<mlir::Value, LayoutAttr>;
  /// Values to compute, each after what it is computed from, and at what cost.
  struct Plan {
    llvm::SmallVector<Wanted> steps;
    int64_t cost = 0;
  };

  bool isReadOnChip(mlir::Value value) const;
  bool plan(mlir::Value value, LayoutAttr layout, Plan &plan, bool moves = false);
  mlir::Value find(mlir::Value value, LayoutAttr layout) const;
  void findAccessWidths();
  int64_t getAccessWidth(LoadOp load, LayoutAttr layout) const;
  mlir::Value carryOut(const Plan &plan, mlir::Value value, LayoutAttr layout);
  bool rematerialize(ConvertLayoutOp op);
  bool hoistToLoad(ConvertLayoutOp op);
  void eraseUnused();

  mlir::func::FuncOp function;
  int64_t threads;
  llvm::DenseSet<mlir::Operation *> shared;
  llvm::DenseMap<Wanted, mlir::Value> available;
  /// For loads that may be repeated: the most elements of an access along each dimension.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 4>> accessWidths;
};

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_REMATERIALIZER_H
