//===- PipelineLoops.cpp - Copy for later iterations ----------------------===//
#include "compiler/transforms/PipelineLoops/PipelineLoops.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/transforms/PipelineLoops/LoopBuilder.h"

namespace tile {
#define GEN_PASS_DEF_PIPELINELOOPS
#include "compiler/transforms/PipelineLoops/PipelineLoops.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
struct PipelineLoopsPass : tile::impl::PipelineLoopsBase<PipelineLoopsPass> {
  void runOnOperation() override;
};
} // namespace

static SmallVector<scf::ForOp> collectInnermostLoops(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) {
    bool isInnermost = !loop.getBody()
                            ->walk([](Operation *op) {
                              return isa<LoopLikeOpInterface>(op) ? WalkResult::interrupt()
                                                                  : WalkResult::advance();
                            })
                            .wasInterrupted();
    if (isInnermost)
      loops.push_back(loop);
    else if (loop->hasAttr(kNumStagesAttr))
      loop.emitRemark("this loop is not pipelined: it contains another loop");
  });
  return loops;
}

/// On-chip bytes beside what the program exchanges between threads. Buffers of
/// other innermost loops are not in use while this one runs.
static int64_t getFreeBytes(scf::ForOp loop) {
  // Partial results of reductions and the like, a few for each warp.
  constexpr int64_t kReserve = 4096;
  int64_t scratch = 0;
  loop.getBody()->walk([&](Operation *op) { scratch = std::max(scratch, getScratchBytes(op)); });
  bool exchanges = loop->getParentOfType<func::FuncOp>()
                       ->walk([](Operation *op) {
                         return isa<ReduceOp>(op) || isAtomic(op)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
  return getOnChipBytes(loop) - scratch - (exchanges ? kReserve : 0);
}

void PipelineLoopsPass::runOnOperation() {
  if (!getTarget(getOperation())) {
    getOperation().emitError("expects a module with a '") << kTargetAttr << "'";
    return signalPassFailure();
  }
  SmallVector<scf::ForOp> loops = collectInnermostLoops(getOperation());
  if (loops.empty())
    return;
  if (failed(verifyHasLayouts(getOperation())))
    return signalPassFailure();
  AccessAnalysis patterns(getOperation());
  for (scf::ForOp loop : loops)
    if (std::optional<Schedule> schedule = buildSchedule(loop, patterns, getFreeBytes(loop)))
      LoopBuilder(loop, *schedule).run();
}
