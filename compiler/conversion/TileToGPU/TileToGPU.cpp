//===- TileToGPU.cpp - From blocks with layouts to code for one thread ------===//
#include "compiler/conversion/TileToGPU/TileToGPU.h"
#include "compiler/conversion/TileToGPU/ThreadLowering.h"
#include "compiler/core/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tile {
#define GEN_PASS_DEF_TILETOGPU
#include "compiler/conversion/TileToGPU/TileToGPU.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

/// Hooks of the target that the module names; reports what is missing.
static const GPUHooks *findHooks(ModuleOp module) {
  TargetAttr described = getTarget(module);
  if (!described) {
    module.emitError("expects 'tile.target' on the module");
    return nullptr;
  }
  const Target *target = TargetRegistry::get().find(described.getName());
  const GPUHooks *hooks = target ? target->getGPUHooks() : nullptr;
  if (!hooks)
    module.emitError() << "target '" << described.getName() << "' is not a GPU of this build";
  return hooks;
}

/// Every block has a layout; anything else could not be split over threads.
static LogicalResult verifyLayouts(func::FuncOp function) {
  auto check = [](Operation *op, TypeRange types) -> LogicalResult {
    for (Type type : types)
      if (isa<RankedTensorType>(type) && !getLayout(type))
        return op->emitOpError("expects a layout on every block, got ") << type;
    return success();
  };
  WalkResult result = function.walk([&](Operation *op) {
    if (failed(check(op, op->getResultTypes())))
      return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(check(op, block.getArgumentTypes())))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct TileToGPUPass : tile::impl::TileToGPUBase<TileToGPUPass> {
  /// The target is known only when the module is: load what any may emit.
  void getDependentDialects(DialectRegistry &registry) const override {
    TileToGPUBase::getDependentDialects(registry);
    for (const std::unique_ptr<Target> &target : TargetRegistry::get().getTargets())
      if (const GPUHooks *hooks = target->getGPUHooks())
        hooks->registerDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const GPUHooks *hooks = findHooks(module);
    if (!hooks)
      return signalPassFailure();
    int64_t most = getTarget(module).getFact("program_blocks", 1);
    if (getModuleInt(module, kNumCtasAttr, 1) > most) {
      module.emitError("programs of more than ")
          << most << " thread block(s) are not supported on this target";
      return signalPassFailure();
    }
    OnChipMemory memory(module);
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (failed(verifyLayouts(function)) || failed(ThreadLowering(function, *hooks, memory).run()))
        return signalPassFailure();
    memory.finish();
  }
};
} // namespace
