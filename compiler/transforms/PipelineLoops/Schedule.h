//===- Schedule.h - Which loads of a loop run ahead -----------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_SCHEDULE_H
#define TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_SCHEDULE_H

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tile {

/// One load that becomes an asynchronous copy.
struct AheadLoad {
  LoadOp load;
  BufferType block; // one iteration's buffer
  /// Copies go where the iteration that starts them has read: one buffer fewer, and threads meet
  /// in between.
  bool reusesBlock = false;
};

/// What of a loop runs ahead of the rest.
struct Schedule {
  /// Buffers of each load that does not use them again sooner.
  int64_t stages = 1;
  /// Iterations that copies are ahead, one fewer than there are buffers.
  int64_t ahead = 0;
  /// Products of an iteration may be at work when the next one begins: copies
  /// start behind them, once those of the iteration before are complete.
  bool completesLater = false;
  /// Else the op of the body behind which copies start: the first product that reads on
  /// chip, which is at work meanwhile; null: they start first.
  mlir::Operation *startsCopies = nullptr;
  /// On-chip bytes that are left beside all buffers.
  int64_t spareBytes = 0;
  llvm::SmallVector<AheadLoad> loads;
  /// Ops of the body that the loads' addresses and masks need, in order; they
  /// are pure, or loads of indices.
  llvm::SmallVector<mlir::Operation *> addressOps;
  /// What they need of what the loop carries: positions among its iter_args.
  llvm::SmallVector<unsigned> carried;
  /// Where the loop turns what one dot gives into the operand of another: the
  /// latter and what depends on it, in order. They are computed together with
  /// the next iteration's other ops.
  llvm::SmallVector<mlir::Operation *> lateOps;
  /// The dots before it that need nothing but copies, and what they need, in order.
  llvm::SmallVector<mlir::Operation *> earlyOps;

  /// Whether the loop reads what others fetch for it: one iteration more or less
  /// than there are would wait for ever.
  bool usesRings = false;

  bool isRotated() const { return !lateOps.empty(); }
};

/// Nothing where no load can run ahead; remarks say why. `freeBytes` is what
/// buffers may take on chip.
std::optional<Schedule> buildSchedule(mlir::scf::ForOp loop, const AccessAnalysis &patterns,
                                      int64_t freeBytes);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_SCHEDULE_H
