//===- PartPlan.h - Which values of a program are split, and how ----------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPLITPROGRAMS_PARTPLAN_H
#define TILE_COMPILER_TRANSFORMS_SPLITPROGRAMS_PARTPLAN_H

#include "compiler/transforms/SplitPrograms/PartRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tile {

/// Why a program cannot be split.
struct PartRefusal {
  mlir::Operation *op = nullptr;
  std::string reason;
  /// What needs what cannot be had; may be null.
  mlir::Operation *cause = nullptr;
};

/// The forms in which the thread blocks of a program need each value. What has effects
/// needs its operands in one form; everything else is needed by something.
class PartPlan {
public:
  PartPlan(mlir::func::FuncOp function, int64_t parts) : function(function), parts(parts) {}

  /// Products whose operands do not say are split along `dot` (0: rows, 1: columns);
  /// what is not computed from products is stored in parts along `stored`.
  mlir::LogicalResult run(Split dot, Split stored);

  /// Why it failed.
  const PartRefusal &getRefusal() const { return refusal; }
  /// The forms in which a value is needed; none: not at all.
  llvm::ArrayRef<Split> getNeeded(mlir::Value value) const;
  /// Those in which any of the results is.
  llvm::SmallVector<Split> getNeeded(mlir::Operation *op) const;
  /// How what `op` does to the outside is split.
  Split getEffectSplit(mlir::Operation *op) const { return effects.lookup(op); }

private:
  void inferNatural(Split dot);
  Split inferDot(DotOp op, Split dot) const;
  bool setNatural(mlir::Value value, Split split);
  bool inferFrom(mlir::Operation *op, Split dot);
  void needEffect(mlir::Operation *op, Split stored);
  void needControl(mlir::Operation *op);
  void need(mlir::Value value, Split split, mlir::Operation *cause);
  void needOperands(mlir::Operation *op, llvm::ArrayRef<Split> splits, mlir::Operation *cause);
  void needSources(mlir::Value value, Split split, mlir::Operation *cause);
  void needArgument(mlir::BlockArgument argument, Split split, mlir::Operation *cause);
  void needResult(mlir::OpResult result, Split split, mlir::Operation *cause);
  void checkProducts();
  void refuse(mlir::Operation *op, const llvm::Twine &reason, mlir::Operation *cause = nullptr);

  mlir::func::FuncOp function;
  int64_t parts;
  /// How values come out of what they are computed from.
  llvm::DenseMap<mlir::Value, Split> natural;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Split, 2>> needed;
  llvm::SmallVector<std::pair<mlir::Value, Split>> worklist;
  llvm::DenseMap<mlir::Operation *, Split> effects;
  /// What made a value needed so.
  llvm::DenseMap<std::pair<mlir::Value, Split>, mlir::Operation *> causes;
  PartRefusal refusal;
};

/// Why thread blocks would have to wait for each other's accesses to an array.
std::optional<PartRefusal> checkArrays(mlir::func::FuncOp function, const PartPlan &plan);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPLITPROGRAMS_PARTPLAN_H
