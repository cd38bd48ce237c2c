//===- PipelineLoops.cpp - Copy for later iterations ----------------------===//
#include "compiler/transforms/PipelineLoops/PipelineLoops.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/analysis/LoopSlice/LoopSlice.h"
#include "compiler/analysis/OperandSource/OperandSource.h"
#include "compiler/transforms/PipelineLoops/RotatedLoopBuilder.h"

#include "llvm/Support/MathExtras.h"

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
    if (isInnermost(loop))
      loops.push_back(loop);
    else if (loop->hasAttr(kNumStagesAttr))
      loop.emitRemark("this loop is not pipelined: it contains another loop");
  });
  return loops;
}

/// Whether the buffer of `source`, which is stored where it is defined and which `dot` reads, is
/// in use while `loop` runs. Products are complete before what uses them.
static bool isInUse(Value source, DotOp dot, scf::ForOp loop) {
  Block *block = source.getParentBlock();
  Operation *around = block->findAncestorOpInBlock(*loop);
  if (!around)
    return loop->isAncestor(block->getParentOp());
  auto isBehind = [&](Operation *op) {
    Operation *there = block->findAncestorOpInBlock(*op);
    return !there || !there->isBeforeInBlock(around);
  };
  Operation *def = source.getDefiningOp();
  return (!def || def->isBeforeInBlock(around)) &&
         (isBehind(dot) || llvm::any_of(dot->getUsers(), isBehind));
}

/// Bytes of operands that units read on chip while the loop runs and that it does not copy:
/// they are stored where they are defined.
static int64_t getPlacedBytes(scf::ForOp loop) {
  DenseSet<Value> placed;
  loop->getParentOfType<func::FuncOp>().walk([&](DotOp dot) {
    for (MatmulOperand which : {MatmulOperand::A, MatmulOperand::B}) {
      if (!isReadOnChip(dot, which))
        continue;
      Value source = traceOperand(which == MatmulOperand::A ? dot.getA() : dot.getB()).block;
      auto load = source.getDefiningOp<LoadOp>();
      if (source.getDefiningOp<BufferLoadOp>())
        continue;
      if ((!load || load->getBlock() != loop.getBody()) && isInUse(source, dot, loop))
        placed.insert(source);
    }
  });
  int64_t bits = 0;
  for (Value block : placed)
    bits += ShapedType::getNumElements(getShape(block.getType())) *
            getElementType(block.getType()).getIntOrFloatBitWidth();
  return bits / 8;
}

/// Bytes of buffers that are there before any loop is pipelined.
static int64_t getAllocatedBytes(func::FuncOp function) {
  int64_t bytes = 0;
  function.walk([&](BufferAllocOp alloc) { bytes += alloc.getType().getBytes(); });
  return bytes;
}

/// On-chip bytes beside what the program exchanges between threads. Buffers of
/// other innermost loops are not in use while this one runs.
static int64_t getFreeBytes(scf::ForOp loop) {
  constexpr int64_t kAlignment = 1024; // of large buffers
  int64_t scratch = 0;
  loop.getBody()->walk([&](Operation *op) { scratch = std::max(scratch, getScratchBytes(op)); });
  bool reduces = loop->getParentOfType<func::FuncOp>()
                     .walk([](ReduceOp op) {
                       return getScratchBytes(op) ? WalkResult::interrupt() : WalkResult::advance();
                     })
                     .wasInterrupted();
  scratch += reduces ? kMostApartBytes : 0;
  return getOnChipBytes(loop) - getPlacedBytes(loop) - llvm::alignTo(scratch, kAlignment);
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
  int64_t allocated = getAllocatedBytes(getOperation());
  for (scf::ForOp loop : loops) {
    std::optional<Schedule> schedule =
        buildSchedule(loop, patterns, getFreeBytes(loop) - allocated);
    if (!schedule)
      continue;
    if (schedule->isRotated())
      RotatedLoopBuilder(loop, *schedule).run();
    else
      LoopBuilder(loop, *schedule).run();
  }
}
