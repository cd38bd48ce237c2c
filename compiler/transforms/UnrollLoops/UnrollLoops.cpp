//===- UnrollLoops.cpp - Repeat the bodies of loops -----------------------===//
#include "compiler/transforms/UnrollLoops/UnrollLoops.h"

#include "mlir/Dialect/SCF/Utils/Utils.h"

namespace tile {
#define GEN_PASS_DEF_UNROLLLOOPS
#include "compiler/transforms/UnrollLoops/UnrollLoops.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
struct UnrollLoopsPass : tile::impl::UnrollLoopsBase<UnrollLoopsPass> {
  void runOnOperation() override {
    // Inner loops come first: an outer one then repeats them as they are.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(kUnrollFactorAttr))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      auto factor = cast<IntegerAttr>(loop->removeAttr(kUnrollFactorAttr));
      if (factor.getInt() > 1)
        (void)loopUnrollByFactor(loop, factor.getInt());
    }
  }
};
} // namespace
