//===- HomeSolver.h - One layout for each value ---------------------------===//
//
// Takes all conversions away, finds a home, the layout in which it is computed,
// for each block, and puts conversions back where homes and uses differ.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_HOMESOLVER_H
#define TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_HOMESOLVER_H

#include "compiler/analysis/LayoutInference/LayoutInference.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tile {

/// As LayoutInference says, but a load of so few elements that reading them in
/// any layout costs the same has the layout of its users.
LayoutTie getFlexibleTie(mlir::Operation *op, int64_t threads);

class HomeSolver {
public:
  explicit HomeSolver(mlir::func::FuncOp function);
  void run();

private:
  /// How strong a claim to a home is.
  enum Priority { Undecided, Wanted, Loaded, Multiplied };
  struct Home {
    LayoutAttr layout;
    Priority priority = Undecided;
    bool isFixed = false;
  };
  using Demands = llvm::SmallMapVector<LayoutAttr, int64_t, 2>;

  void bypassConversions();
  void findProducts();
  LayoutAttr getAccessLayout(mlir::Operation *op) const;
  static Priority getPriority(mlir::Operation *op);
  void fixAnchors();
  void propagate();
  void propagateFrom(mlir::Value value);
  void claim(mlir::Value value, LayoutAttr layout, Priority priority);
  bool isStronger(mlir::Value value, Priority priority, Priority than) const;
  void anchorReductions();

  bool sweepBackward(mlir::Block &block);
  bool decideBackward(mlir::ValueRange values);
  void addDemands(mlir::Value value, Demands &demands);

  void settle();
  void applyTypes();
  void unifyResults();
  void insertConversions();
  mlir::Value getConverted(mlir::Value value, LayoutAttr layout);

  LayoutAttr getHome(mlir::Value value) const;
  LayoutAttr getRequired(mlir::OpOperand &operand);
  LayoutAttr getReductionLayout(mlir::Operation *op) const;

  mlir::func::FuncOp function;
  int64_t threads;
  /// The layout of a block without dimensions: every thread has a scalar.
  LayoutAttr scalarLayout;
  llvm::DenseMap<mlir::Value, Home> homes;
  llvm::DenseMap<mlir::OpOperand *, LayoutAttr> anchored;
  /// Blocks of code in which products are made.
  llvm::DenseSet<mlir::Block *> multiplying;
  /// The layout of all products of a shape, or null where they differ.
  llvm::DenseMap<llvm::ArrayRef<int64_t>, LayoutAttr> products;
  llvm::SetVector<mlir::Value> worklist;
  llvm::DenseMap<std::pair<mlir::Value, LayoutAttr>, mlir::Value> converted;
};

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_HOMESOLVER_H
