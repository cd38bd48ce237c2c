//===- TileToLoops.cpp - From blocks to loops over chunks of lanes --------===//
#include "compiler/conversion/TileToLoops/TileToLoops.h"

#include "compiler/conversion/TileToLoops/Emitter.h"
#include "compiler/conversion/TileToLoops/Prepare.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tile {
#define GEN_PASS_DEF_TILETOLOOPS
#include "compiler/conversion/TileToLoops/TileToLoops.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;
using namespace tile::loops;

/// Memory of a thread for the blocks of a program.
static constexpr int64_t kMaxScratchBytes = 512 << 20;

namespace {
struct TileToLoopsPass : tile::impl::TileToLoopsBase<TileToLoopsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    int64_t scratchBytes = 0;
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      flattenCombiners(function);
      if (failed(checkSupported(function)))
        return signalPassFailure();
      prepareKernel(function);
      Plan plan(function);
      if (plan.getScratchBytes() > kMaxScratchBytes) {
        function.emitError() << "blocks need " << (plan.getScratchBytes() >> 20)
                             << " MiB of memory in each thread, more than the "
                             << (kMaxScratchBytes >> 20)
                             << " MiB that there are; use smaller blocks";
        return signalPassFailure();
      }
      Emitter(function, plan).run();
      scratchBytes = std::max(scratchBytes, plan.getScratchBytes());
    }
    module->setAttr(kScratchBytesAttr,
                    IntegerAttr::get(IntegerType::get(&getContext(), 32), scratchBytes));
  }
};
} // namespace
