//===- RotatedLoopBuilder.h - A loop between two dots ---------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_ROTATEDLOOPBUILDER_H
#define TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_ROTATEDLOOPBUILDER_H

#include "compiler/transforms/PipelineLoops/LoopBuilder.h"

namespace tile {

/// Writes the loop so that one of its iterations is the late part of one
/// iteration and the rest of the next:
///   rest(0); for i = 1 .. n - 1 { early(i); late(i - 1); rest(i) }; late(n - 1)
/// The first dot of i and the second one of i - 1 are at work together, and the
/// rest of i beside the second one.
class RotatedLoopBuilder final : public LoopBuilder {
public:
  using LoopBuilder::LoopBuilder;

private:
  Values buildLoop() override;
  void findCrossing();
  void buildBody(mlir::Value induction, mlir::ValueRange arguments);
  /// All but the late part, for the iteration in `values`.
  void cloneRest(mlir::IRMapping &values, const Buffers &buffers);
  void cloneLate(mlir::IRMapping &values, const Buffers &buffers);
  /// What passes from the rest of an iteration to its late part and beyond.
  Values getCrossing(const mlir::IRMapping &values) const;
  void mapCrossing(mlir::IRMapping &values, mlir::ValueRange crossing) const;
  /// Arguments of the next iteration that do not need the late part of this one.
  void mapEarlyNext(mlir::IRMapping &next, const mlir::IRMapping &values) const;
  /// Arguments of the next iteration, once the late part of this one is done.
  void mapNext(mlir::IRMapping &next, const mlir::IRMapping &values) const;

  llvm::DenseSet<mlir::Operation *> late;
  llvm::SetVector<mlir::Value> crossing;
};

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_ROTATEDLOOPBUILDER_H
