//===- LoopBuilder.h - Write a loop whose loads run ahead -----------------===//
#ifndef TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_LOOPBUILDER_H
#define TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_LOOPBUILDER_H

#include "compiler/transforms/PipelineLoops/Schedule.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

/// Replaces `loop` by copies for its first iterations and a loop in which
/// copies run ahead.
class LoopBuilder {
public:
  LoopBuilder(mlir::scf::ForOp loop, const Schedule &schedule);
  void run();

private:
  using Values = llvm::SmallVector<mlir::Value>;

  void findNeeded();
  void need(mlir::Value value);
  void allocate();
  void buildPrologue();
  void buildLoop();
  void buildBody(mlir::ValueRange arguments);
  /// Await the oldest copies; the blocks in order of the loads.
  Values awaitNext(mlir::ValueRange inFlight);
  /// The dots that are early, of the iteration whose number and buffers are given.
  Values computeEarly(mlir::Value induction, mlir::ValueRange buffers);
  llvm::DenseMap<mlir::Value, mlir::Value> mapBuffers(mlir::ValueRange buffers);
  void cloneStep(mlir::Operation &op, mlir::IRMapping &values,
                 const llvm::DenseMap<mlir::Value, mlir::Value> &buffers);
  void finish();

  /// Start the copies of the iteration whose induction variable and carried
  /// values are in `values`, into block `slot` of each stack.
  Values startCopies(mlir::IRMapping &values, mlir::Value slot, mlir::Value isValid);
  mlir::Value getMask(mlir::Value mask, mlir::Type pointer, mlir::Value isValid);
  /// Whether the iteration `distance` steps after `from` exists, if that one does.
  mlir::Value hasIteration(mlir::Value from, int64_t distance);
  mlir::Value advance(mlir::Value from, int64_t distance);
  mlir::Value createInt(mlir::Type type, int64_t value);

  mlir::scf::ForOp loop, newLoop;
  const Schedule &schedule;
  mlir::ImplicitLocOpBuilder b;
  /// Iterations that copies are ahead.
  int64_t ahead;
  llvm::DenseSet<mlir::Operation *> neededOps, copied;
  llvm::SmallVector<unsigned> neededArguments;
  llvm::DenseSet<unsigned> neededIndices;
  Values stacks;
  /// What `schedule.carried` is for the iteration to copy next.
  Values carriedAhead;
  /// Copies in flight, the oldest iteration's first.
  Values pending;
  /// Where dots are early: the buffers of the iteration at hand, and what the
  /// early dots gave for it.
  Values ready, early;
};

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_LOOPBUILDER_H
