//===- LoopSlice.h - What of a loop's body can run ahead ------------------===//
#ifndef TILE_COMPILER_ANALYSIS_LOOPSLICE_LOOPSLICE_H
#define TILE_COMPILER_ANALYSIS_LOOPSLICE_LOOPSLICE_H

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace tile {

/// Collects what values of a loop's body are computed from: pure ops and loads;
/// it grows with each value.
class LoopSlice {
public:
  explicit LoopSlice(mlir::scf::ForOp loop) : loop(loop) {}

  /// Whether `value` can be computed ahead of the body. On failure the slice is
  /// as it was before.
  bool add(mlir::Value value);
  /// Its ops in the order of the body.
  llvm::SmallVector<mlir::Operation *> getOps() const;

  llvm::DenseSet<mlir::Operation *> ops;
  /// Positions among what the loop carries.
  llvm::SetVector<unsigned> carried;

private:
  bool visit(mlir::Value value);

  mlir::scf::ForOp loop;
};

/// The arrays that a loop writes, by the arguments through which it does. What it
/// keeps on chip does not count. Who orders memory may see others' writes.
class LoopWrites {
public:
  explicit LoopWrites(mlir::scf::ForOp loop);

  /// Whether what `load` reads may be written in another iteration. Arguments are
  /// taken for different arrays, of which at most the same places are the same.
  bool mayWrite(LoadOp load) const;

private:
  llvm::DenseSet<mlir::Value> bases;
  bool isAnywhere = false;
};

/// Stages that a loop asks for, by itself or with its module.
int64_t getNumStages(mlir::scf::ForOp loop);

/// Whether no other loop is in it.
bool isInnermost(mlir::scf::ForOp loop);

/// The loop's induction variable `distance` steps after `from`.
mlir::Value advance(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop, mlir::Value from,
                    int64_t distance);

/// Whether the iteration `distance` steps after `from` exists, if that one does.
mlir::Value hasIteration(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop, mlir::Value from,
                         int64_t distance);

/// Whether the loop has an iteration.
mlir::Value isEntered(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop);

/// `mask` (may be null) where `isValid`, as a mask for `pointer`.
mlir::Value createMask(mlir::ImplicitLocOpBuilder &b, mlir::Value mask, mlir::Type pointer,
                       mlir::Value isValid);

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_LOOPSLICE_LOOPSLICE_H
