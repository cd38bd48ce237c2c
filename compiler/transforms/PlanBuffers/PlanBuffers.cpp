//===- PlanBuffers.cpp - Give buffers their places on chip ----------------===//
#include "compiler/transforms/PlanBuffers/PlanBuffers.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/ThreadExchange/ThreadExchange.h"

#include "mlir/IR/Builders.h"

namespace tile {
#define GEN_PASS_DEF_PLANBUFFERS
#include "compiler/transforms/PlanBuffers/PlanBuffers.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
struct PlanBuffersPass : tile::impl::PlanBuffersBase<PlanBuffersPass> {
  void runOnOperation() override;
};
} // namespace

/// For those who know a conversion's scratch memory by the size of its block.
static void writePasses(Operation *op) {
  op->removeDiscardableAttr(kScratchPassesAttr);
  auto convert = dyn_cast<ConvertLayoutOp>(op);
  ConversionPlan plan = convert ? planLayoutConversion(convert) : ConversionPlan();
  auto *memory = std::get_if<MemoryPlan>(&plan.steps);
  if (memory && memory->passes.size() > 1)
    op->setDiscardableAttr(
        kScratchPassesAttr,
        Builder(op->getContext()).getI32IntegerAttr(static_cast<int32_t>(memory->passes.size())));
}

static void writePlan(const BufferPlan &plan) {
  for (const BufferPlan::Entry &entry : plan.getEntries()) {
    Builder builder(entry.op->getContext());
    IntegerAttr offset = builder.getI32IntegerAttr(entry.offset);
    if (auto alloc = dyn_cast<BufferAllocOp>(entry.op))
      alloc.setOffsetAttr(offset);
    else if (auto signals = dyn_cast<SignalAllocOp>(entry.op))
      signals.setOffsetAttr(offset);
    else {
      entry.op->setDiscardableAttr(kScratchOffsetAttr, offset);
      writePasses(entry.op);
    }
  }
}

void PlanBuffersPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (!getTarget(module)) {
    module.emitError("expects a module with a '") << kTargetAttr << "'";
    return signalPassFailure();
  }
  int64_t bytes = 0, limit = getOnChipBytes(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    BufferPlan plan(function);
    bytes = std::max(bytes, plan.getBytes());
    if (plan.getBytes() > limit) {
      function.emitError("needs ")
          << plan.getBytes() << " bytes of on-chip memory; the target has " << limit;
      return signalPassFailure();
    }
    writePlan(plan);
  }
  module->setAttr(kSharedBytesAttr, Builder(module.getContext()).getI32IntegerAttr(bytes));
}
