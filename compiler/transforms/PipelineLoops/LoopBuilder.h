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
  virtual ~LoopBuilder() = default;
  void run();

protected:
  using Values = llvm::SmallVector<mlir::Value>;
  /// By what was loaded.
  using Buffers = llvm::DenseMap<mlir::Value, mlir::Value>;

  /// The loop, behind the prologue. Returns what `neededArguments` end as.
  virtual Values buildLoop();

  mlir::scf::ForOp createLoop(mlir::Value lower, mlir::ValueRange inits,
                              llvm::function_ref<void(mlir::Value, mlir::ValueRange)> buildBody);
  void createYield(mlir::ValueRange values);
  /// `op` of the body, if it is needed; loads become reads of their buffers.
  void cloneStep(mlir::Operation &op, mlir::IRMapping &values, const Buffers &buffers);
  /// What a copied load gives.
  void readCopy(LoadOp load, mlir::IRMapping &values, const Buffers &buffers);
  /// Start the copies of the iteration `distance` steps after `induction`, into
  /// block `slot` of each stack, which becomes the next one.
  Values startNext(mlir::Value induction, int64_t distance, mlir::ValueRange advanced,
                   mlir::Value &slot);
  /// Await the oldest copies; their buffers in the order of the loads.
  Values awaitNext(mlir::ValueRange inFlight);
  Buffers mapBuffers(mlir::ValueRange buffers);
  mlir::Value createInt(mlir::Type type, int64_t value);

  mlir::scf::ForOp loop;
  const Schedule &schedule;
  mlir::ImplicitLocOpBuilder b;
  /// Iterations that copies are ahead.
  int64_t ahead;
  llvm::DenseSet<mlir::Operation *> neededOps, copied;
  llvm::SmallVector<unsigned> neededArguments;
  /// What `schedule.carried` is for the iteration to copy next.
  Values carriedAhead;
  /// Copies in flight, the oldest iteration's first.
  Values pending;
  /// Whether there is an iteration at all.
  mlir::Value isEntered;

private:
  Values buildIfEntered();
  void findNeeded();
  void need(mlir::Value value);
  void allocate();
  void buildPrologue();
  void buildBody(mlir::Value induction, mlir::ValueRange arguments);
  /// Start the copies of the iteration whose induction variable and carried
  /// values are in `values`, into block `slot` of each stack.
  /// (`branches`: by a branch around predicates, where one number decides.)
  Values startCopies(mlir::IRMapping &values, mlir::Value slot, mlir::Value isValid, bool branches);
  Values createCopies(mlir::IRMapping &values, mlir::Value slot, mlir::Value isValid,
                      bool branches);
  Values emitCopies(mlir::IRMapping &values, mlir::Value slot, mlir::Value isValid, bool isWhole);
  mlir::IRMapping cloneAddresses(const mlir::IRMapping &values);
  mlir::Value createIsWhole(mlir::IRMapping &values, mlir::Value isValid);
  void findCarriedAddresses();
  Values computeAddresses(mlir::Value induction, int64_t distance);
  bool isSteady(mlir::Value value) const;
  bool canBranch() const;

  llvm::DenseSet<unsigned> neededIndices;
  /// Whether copies go around the stacks, rather than into blocks that are new.
  bool isInLoop = false;
  Values stacks;
  /// The copies that the iteration reads.
  Buffers awaited;
  /// Addresses of the body that each iteration computes for the next one, and where they are in
  /// the loop.
  Values carriedAddresses;
  mlir::ValueRange addresses;
};

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_LOOPBUILDER_H
