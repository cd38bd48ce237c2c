//===- RemoveConversions.cpp - Few conversions between layouts ------------===//
#include "compiler/transforms/RemoveConversions/RemoveConversions.h"

#include "compiler/transforms/RemoveConversions/HomeSolver.h"
#include "compiler/transforms/RemoveConversions/Rematerializer.h"
#include "compiler/transforms/RemoveConversions/SharedLoads.h"

namespace tile {
#define GEN_PASS_DEF_REMOVECONVERSIONS
#include "compiler/transforms/RemoveConversions/RemoveConversions.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
struct RemoveConversionsPass : tile::impl::RemoveConversionsBase<RemoveConversionsPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!getTarget(function)) {
      function.emitError("expects a module with a '") << kTargetAttr << "'";
      return signalPassFailure();
    }
    if (failed(verifyHasLayouts(function)))
      return signalPassFailure();
    if (!llvm::hasSingleElement(function.getBody()))
      return; // control flow between blocks: nothing moves
    HomeSolver(function).run();
    Rematerializer(function, shareSmallLoads(function)).run();
  }
};
} // namespace
