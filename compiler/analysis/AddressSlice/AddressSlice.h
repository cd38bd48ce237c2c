//===- AddressSlice.h - What the places of accesses are computed from ------===//
//
// The part of a program that another group of warps, or one thread, computes
// again for itself: numbers and the control flow around them, and of memory what
// nobody writes. Of blocks what needs no more of other threads.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_ANALYSIS_ADDRESSSLICE_ADDRESSSLICE_H
#define TILE_COMPILER_ANALYSIS_ADDRESSSLICE_ADDRESSSLICE_H

#include "compiler/analysis/ArrayUses/ArrayUses.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tile {

class AddressSlice {
public:
  explicit AddressSlice(mlir::func::FuncOp function) : function(function), uses(function) {}

  /// Add what the operands of `access` are computed from, and the loops around
  /// it. Returns what cannot be computed again, or null; the slice is then as it
  /// was before.
  mlir::Operation *add(mlir::Operation *access, mlir::ValueRange operands);

  /// The same for a load that a copy makes: its place, and what its descriptor describes
  /// where the host does not make that.
  mlir::Operation *add(DescriptorLoadOp load);
  /// The same for one that threads copy: blocks of pointers, and the mask.
  mlir::Operation *add(LoadOp load);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  /// Whether the slice needs what the loop carries as its iter_arg `index`.
  bool needsArgument(mlir::Operation *loop, unsigned index) const {
    return arguments.contains({loop, index});
  }
  /// Whether it needs result `index` of a branch, or what the condition of a loop passes on
  /// as that.
  bool needsResult(mlir::Operation *op, unsigned index) const {
    return results.contains({op, index});
  }

private:
  mlir::Operation *addAll(mlir::Operation *access, mlir::ValueRange operands, bool withBlocks);
  bool canRepeat(mlir::Operation *op) const;
  mlir::Operation *visit(mlir::Value value);
  mlir::Operation *visitArgument(mlir::BlockArgument argument);
  mlir::Operation *visitCarried(mlir::LoopLikeOpInterface loop, unsigned index);
  mlir::Operation *visitPassedOn(mlir::scf::WhileOp loop, unsigned index);
  mlir::Operation *visitResult(mlir::scf::IfOp branch, unsigned index);
  mlir::Operation *visitParents(mlir::Operation *op);

  mlir::func::FuncOp function;
  ArrayUses uses;
  bool withBlocks = false;
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<std::pair<mlir::Operation *, unsigned>> arguments, results;
};

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_ADDRESSSLICE_ADDRESSSLICE_H
