//===- Exchange.h - Moving a block between register layouts -----------------===//
#ifndef TILE_CONVERSION_TILETOGPU_EXCHANGE_H
#define TILE_CONVERSION_TILETOGPU_EXCHANGE_H

#include "compiler/analysis/ThreadExchange/ThreadExchange.h"
#include "compiler/conversion/TileToGPU/ThreadLowering.h"

namespace tile {

/// Moves of values between the threads of a program for `op`, whose scratch memory
/// they use: one move after the other.
class Exchange {
public:
  Exchange(mlir::Operation *op, ThreadLowering &t)
      : op(op), t(t), isFree(op->hasAttr(kScratchIsFreeAttr)) {}

  /// `vector`, of `shape` under `source`, under `result`. Reports layouts
  /// between which threads cannot exchange data.
  mlir::FailureOr<mlir::Value> convert(mlir::Value vector, const LinearLayout &source,
                                       const LinearLayout &result, llvm::ArrayRef<int64_t> shape);

  /// The same for several values, in place: all at once where `planJointMove` says so.
  mlir::LogicalResult convert(llvm::MutableArrayRef<mlir::Value> vectors,
                              const LinearLayout &source, const LinearLayout &result,
                              llvm::ArrayRef<int64_t> shape);

  /// Give every thread the elements that their owners hold: what other copies
  /// hold is overwritten.
  mlir::FailureOr<mlir::Value> broadcastFromOwners(mlir::Value vector, const LinearLayout &layout,
                                                   llvm::ArrayRef<int64_t> shape);

  /// A scalar of the scope's first thread, for all.
  mlir::Value broadcastFromFirst(mlir::Value scalar);

private:
  mlir::Value apply(const RegisterPlan &plan, mlir::Value vector);
  mlir::Value apply(const ShufflePlan &plan, mlir::Value vector);
  /// A value's way through memory.
  struct MemoryMove {
    const MemoryPlan &plan;
    mlir::Value vector;
    int64_t offset = 0; // in the scratch memory
  };
  /// Moves with as many passes each. `results` registers are read; only threads with
  /// `writes` (null: all) write.
  llvm::SmallVector<mlir::Value> apply(llvm::ArrayRef<MemoryMove> moves, int64_t results,
                                       mlir::Value writes);

  llvm::SmallVector<mlir::Value> shuffleRound(const ShufflePlan &plan,
                                              const ShufflePlan::Round &round,
                                              llvm::ArrayRef<mlir::Value> sent);

  mlir::Operation *op;
  ThreadLowering &t;
  /// Whether nobody else is at work on the scratch memory.
  bool isFree;
};

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_EXCHANGE_H
