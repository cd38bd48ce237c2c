//===- GroupBuilder.h - Roots into loop nests, in program order -----------===//
#ifndef TILE_COMPILER_CONVERSION_TILETOLOOPS_GROUPBUILDER_H
#define TILE_COMPILER_CONVERSION_TILETOLOOPS_GROUPBUILDER_H

#include "compiler/conversion/TileToLoops/Plan.h"

#include "llvm/ADT/SetVector.h"

namespace tile::loops {

/// First half of the plan: walks the kernel once, in order.
class GroupBuilder {
public:
  explicit GroupBuilder(Plan &plan) : plan(plan) {}
  void visitBlock(mlir::Block &block);

private:
  using Leaves = llvm::SmallSetVector<mlir::Value, 8>;

  void visitOp(mlir::Operation *op);
  void visitReduce(ReduceOp op);
  void visitEffect(mlir::Operation *op);
  void visitAssembly(InlineAsmOp op);
  void visitDot(DotOp op);
  void visitScan(ScanOp op);
  void visitSort(SortOp op);
  void visitHistogram(HistogramOp op);
  void visitScalar(mlir::Operation *op);
  void visitFor(mlir::scf::ForOp loop);
  void visitIf(mlir::scf::IfOp branch);
  void visitWhile(mlir::scf::WhileOp loop);

  /// What a loop carries, as it enters: one buffer for each block.
  Buffer *enterCarried(mlir::Value init, mlir::Operation *loop);
  /// Write the values that `terminator` passes on to the buffers they are carried in.
  void passCarried(mlir::Operation *terminator, mlir::ValueRange values,
                   llvm::ArrayRef<Buffer *> targets);
  /// Whether the buffer of `value` is free once `loop` has taken it over.
  static bool diesIn(mlir::Value value, mlir::Operation *loop) {
    return value.hasOneUse() && value.getParentBlock() == loop->getBlock();
  }
  /// Have `value` computed where it is defined, into a buffer of its own.
  void keepAtDefinition(mlir::Value value);

  /// Where `op` reads `value`: the value's own buffer, or `target` (null: one of
  /// its own), which is then written first.
  Buffer *stageSource(mlir::Operation *op, mlir::Value value, Buffer *target);

  // Products.cpp.
  bool isConsecutiveAlong(mlir::Value value, unsigned dim);
  DotBlock findStaged(mlir::Value operand, mlir::Type element);
  DotBlock stageOperand(DotOp dot, mlir::Value operand, mlir::Type element);
  Buffer *findAccumulator(DotOp dot, mlir::Type element);

  void addWrite(mlir::Value value, Buffer *buffer, mlir::Operation *anchor,
                bool isUnsigned = false);
  void addRoot(Root root, mlir::Operation *anchor, llvm::ArrayRef<int64_t> shape, int axis,
               mlir::ValueRange inputs);
  bool canJoin(mlir::Operation *op, llvm::ArrayRef<int64_t> shape, int axis,
               mlir::ValueRange inputs);
  bool dependsOnOpen(mlir::ValueRange inputs);
  /// The values that are not virtual, and the loads, that `value` is computed from.
  const Leaves &getLeaves(mlir::Value value);
  void close() { open = nullptr; }

  Plan &plan;
  Group *open = nullptr;
  bool openWrites = false;
  llvm::DenseMap<mlir::Value, Leaves> leaves;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, Buffer *> staged;
};

} // namespace tile::loops

#endif // TILE_COMPILER_CONVERSION_TILETOLOOPS_GROUPBUILDER_H
