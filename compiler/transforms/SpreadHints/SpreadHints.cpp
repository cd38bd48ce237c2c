//===- SpreadHints.cpp - A promise holds of a value from there on ---------===//
#include "compiler/transforms/SpreadHints/SpreadHints.h"

#include "dialects/tile/IR/TileOps.h"

namespace tile {
#define GEN_PASS_DEF_SPREADHINTS
#include "compiler/transforms/SpreadHints/SpreadHints.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

/// Whether the program comes to `user` by way of the promise.
static bool isBehind(Operation *user, HintOp hint) {
  Operation *around = hint->getBlock()->findAncestorOpInBlock(*user);
  return around && hint->isBeforeInBlock(around);
}

namespace {
struct SpreadHintsPass : tile::impl::SpreadHintsBase<SpreadHintsPass> {
  void runOnOperation() override {
    getOperation()->walk([](HintOp hint) {
      hint.getSource().replaceUsesWithIf(
          hint.getResult(), [&](OpOperand &use) { return isBehind(use.getOwner(), hint); });
    });
  }
};
} // namespace
