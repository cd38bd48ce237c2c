//===- PartialReduction.h - What a thread reduces by itself ---------------===//
#ifndef TILE_COMPILER_TRANSFORMS_DEFERREDUCTIONS_PARTIALREDUCTION_H
#define TILE_COMPILER_TRANSFORMS_DEFERREDUCTIONS_PARTIALREDUCTION_H

#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

/// A reduction of one block in two steps: over what registers count, and over
/// what threads count.
class PartialReduction {
public:
  /// Nothing where registers or threads count none of the axis, or where their
  /// bits do not each move along it alone.
  static std::optional<PartialReduction> get(ReduceOp op);

  /// The block of the threads' parts.
  mlir::RankedTensorType getType() const { return type; }
  /// How many parts make one result.
  int64_t getNumParts() const;
  /// The parts of what `op` reduces.
  mlir::Value createParts(mlir::ImplicitLocOpBuilder &b) const;
  /// What all parts make.
  mlir::Value combineParts(mlir::ImplicitLocOpBuilder &b, mlir::Value parts) const;
  /// For each part the value of its result.
  mlir::Value spread(mlir::ImplicitLocOpBuilder &b, mlir::Value value) const;

private:
  explicit PartialReduction(ReduceOp op) : op(op) {}
  bool findRuns();
  bool findType();
  mlir::Value reduce(mlir::ImplicitLocOpBuilder &b, mlir::Value block, unsigned axis) const;
  llvm::SmallVector<int64_t> getSplitShape() const;

  mutable ReduceOp op; // MLIR's accessors are not const
  /// Bits of the axis that registers, or threads, count: sizes, the slowest first.
  struct Run {
    int64_t size;
    bool ofThreads;
  };
  llvm::SmallVector<Run> runs;
  mlir::RankedTensorType type;
};

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_DEFERREDUCTIONS_PARTIALREDUCTION_H
